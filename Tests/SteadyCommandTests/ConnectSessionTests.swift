import ConnectionCore
import Foundation
import PeerSupport
import SteadySocket
import SteadySocketTestKit
import SteadyTransport
import Testing

@testable import steady

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct ConnectSessionTests {
    @Test func theNextLineIsReadWhenTheOneBeforeWasHandedToTheNetwork() async throws {
        let transport = SlowTransport()
        let session = try ConnectRig(transport)
        try session.type("a\n")
        let (first, taken) = try await transport.next()
        #expect(first == .text("a"))
        try session.type("b\n")
        #expect(stay(unread: 2, in: session.descriptor))
        taken(nil)
        let (second, lost) = try await transport.next()
        #expect(second == .text("b"))
        try session.type("c\n")
        #expect(stay(unread: 2, in: session.descriptor))
        // A line that was under way when the end came is named.
        session.signal(SIGTERM)
        try await session.lines.next(with: "idle")
        lost(ConnectionError(.closed, "the socket closed"))
        #expect(try await session.code() == .failure)
        try await session.lines.next(with: "steady: line 2 was not sent: the socket closed")
    }

    @Test func theEndOfTheInputClosesWith1000OnceEverythingIsSent() async throws {
        let session = try ConnectRig(ScriptedTransport.friendly)
        try session.type("a\nb\n\nlast")
        try session.endInput()
        #expect(try await session.code() == .success)
        #expect(session.sent == [.text("a"), .text("b"), .text(""), .text("last")])
        #expect(session.transport.sockets.map(\.closed?.code) == [.normalClosure])
        #expect(session.lines.all.last?.text == "idle")
    }

    @Test func withoutInputItOpensBeforeItCloses() async throws {
        let session = try ConnectRig(ScriptedTransport.friendly)
        try session.endInput()
        #expect(try await session.code() == .success)
        #expect(session.transport.sockets.map(\.closed?.code) == [.normalClosure])
    }

    @Test func withoutInputAndWithoutSocketItSaysSo() async throws {
        let session = try ConnectRig(
            ScriptedTransport { call, socket in
                if case .close = call { socket.report(.closed(TransportClose(.connectionLost))) }
            }
        ) { $0.sendTimeout = .milliseconds(1) }
        try session.endInput()
        #expect(try await session.code() == .unavailable)
        try await session.lines.next(.standardError, with: "steady: no socket opened in the time of --send-timeout")
    }

    @Test func aSignalClosesWith1001() async throws {
        let session = try ConnectRig(ScriptedTransport.friendly)
        try await session.lines.next(with: "open #1")
        session.signal(SIGTERM)
        #expect(try await session.code() == .success)
        #expect(session.transport.sockets.map(\.closed?.code) == [.goingAway])
    }

    @Test func aSecondSignalDoesNotWaitForTheServer() async throws {
        let session = try ConnectRig(
            ScriptedTransport { call, socket in
                if case .open = call { socket.report(.opened(OpeningResult())) }
            }
        ) { $0.configuration.timeouts.closingHandshake = .seconds(3600) }
        try await session.lines.next(with: "open #1")
        session.signal(SIGINT)
        try await session.lines.next(with: "closing #1: exiting")
        session.signal(SIGINT)
        #expect(try await session.code() == .failure)
    }

    @Test func backgroundClosesWith1001AfterTheGraceAndForegroundOpensAgain() async throws {
        let session = try ConnectRig(ScriptedTransport.friendly) { $0.configuration.backgroundGrace = .zero }
        try await session.lines.next(with: "open #1")
        session.signal(SIGUSR1)
        try await session.lines.next(with: "held: background")
        #expect(session.transport.sockets.map(\.closed?.code) == [.goingAway])
        session.signal(SIGUSR2)
        try await session.lines.next(with: "open #2")
        session.signal(SIGTERM)
        #expect(try await session.code() == .success)
    }

    @Test func aReaderThatLeavesEndsItWith1000() async throws {
        let session = try ConnectRig(ScriptedTransport.friendly)
        try await session.lines.next(with: "open #1")
        session.lines.leave()
        try await session.deliver("unread")
        #expect(try await session.code() == .success)
        #expect(session.transport.sockets.map(\.closed?.code) == [.normalClosure])
    }

    @Test(arguments: [false, true]) func aReaderThatIsStuckCannotKeepItFromEnding(json: Bool) async throws {
        let session = try ConnectRig(ScriptedTransport.friendly, json: json) { $0.decisions = true }
        defer { session.lines.stick(false) }
        try await session.lines.next(with: "open #1")
        session.lines.stick(true)
        try await session.deliver("unread")
        session.signal(SIGTERM)
        #expect(try await session.code() == .success)
        #expect(session.transport.sockets.map(\.closed?.code) == [.goingAway])
        #expect(!session.lines.all.contains { $0.text.contains("unread") })
    }

    @Test func whatArrivedIsPrintedBeforeItEnds() async throws {
        let arrived = AsyncStream<Void>.makeStream()
        let session = try ConnectRig(
            ScriptedTransport { call, socket in
                switch call {
                case .open: socket.report(.opened(OpeningResult()))
                case .receive:
                    guard socket.calls.count == 2 else { break }
                    for n in 1...20 { socket.report(.message(.text("m\(n)"))) }
                    arrived.continuation.yield()
                case .close(let code, _):
                    socket.report(.closed(TransportClose(.closedByPeer(code), closeCode: code, outcome: .acknowledged)))
                case .send, .ping, .abandon: break
                }
            })
        // Not with the line of the opening, which comes before the messages.
        try await withWatchdog("the messages") { for await _ in arrived.stream { break } }
        session.signal(SIGTERM)
        #expect(try await session.code() == .success)
        let messages = session.lines.all.filter { $0.target == .standardOutput }.map(\.text)
        #expect(messages == (1...20).map { "m\($0)" })
    }

    @Test func aLineThatWaitsForASocketIsNamedWhenItsTimeIsOver() async throws {
        let session = try ConnectRig(
            ScriptedTransport { call, socket in
                if case .close(let code, _) = call {
                    socket.report(.closed(TransportClose(.closedByPeer(code), closeCode: code)))
                }
            }
        ) { $0.sendTimeout = .milliseconds(1) }
        try session.type("lost\n")
        try await session.lines.next(.standardError, with: "steady: line 1 was not sent: no socket opened in the time")
        try session.endInput()
        #expect(try await session.code() == .failure)
    }

    @Test func aLineThatWaitsWhenASignalComesIsNamedToo() async throws {
        let session = try ConnectRig(
            ScriptedTransport { call, socket in
                if case .close(let code, _) = call {
                    socket.report(.closed(TransportClose(.closedByPeer(code), closeCode: code)))
                }
            })
        try await session.lines.next(with: "opening #1")
        try session.type("lost\n")
        try await session.linesTaken(1)
        session.signal(SIGTERM)
        #expect(try await session.code() == .failure)
        #expect(session.lines.all.contains { $0.text.hasPrefix("steady: line 1 was not sent") })
    }

    @Test func linesThatCannotBeSentAreNamedAndTheRestIsSent() async throws {
        let session = try ConnectRig(ScriptedTransport.friendly, json: true) {
            $0.configuration.maximumMessageBytes = 4
        }
        try session.type("fine\ntoo long\n")
        try session.input.fileHandleForWriting.write(contentsOf: Data([0x61, 0xFF, 0x0A]))
        try session.type("ok\n")
        try session.endInput()
        #expect(try await session.code() == .failure)
        #expect(session.sent == [.text("fine"), .text("ok")])
        try await session.lines.next(with: #""line":2,"message":"it has 8 bytes; the limit is 4 (--max-message)""#)
        try await session.lines.next(with: #""line":3,"message":"byte 2 is not valid UTF-8"#)
        try await session.lines.next(with: #""kind":"sent","line":4"#)
        #expect(session.lines.all.allSatisfy { $0.target == .standardOutput && !$0.text.contains("hush") })
    }

    @Test func aServerThatRefusesForGoodEndsIt() async throws {
        let session = try ConnectRig(
            ScriptedTransport { call, socket in
                if case .open = call { socket.report(.closed(TransportClose(.openingRefused(status: 403)))) }
            })
        #expect(try await session.code() == .unavailable)
        #expect(session.transport.sockets.count == 2)
        let texts = session.lines.all.map(\.text)
        #expect(texts.contains("stopped: HTTP 403"))
        #expect(texts.last?.hasPrefix("steady: no further attempt after HTTP 403; check the credentials") == true)
    }

    @Test(arguments: [
        (TransportClose(.closedByPeer(.normalClosure), closeCode: .normalClosure), ExitCode.success),
        (TransportClose(.closedByPeer(.serviceRestart), closeCode: .serviceRestart), .unavailable),
        (TransportClose(.openingFailed(.connect)), .unavailable),
    ])
    func onceEndsWithTheFirstSocket(_ close: TransportClose, _ code: ExitCode) async throws {
        let session = try ConnectRig(
            ScriptedTransport { call, socket in
                if case .open = call { socket.report(.closed(close)) }
            }
        ) { $0.stopAfterOne() }
        #expect(try await session.code() == code)
        #expect(session.transport.sockets.count == 1)
    }

    @Test func keepOpenOutlivesTheInput() async throws {
        let session = try ConnectRig(ScriptedTransport.friendly) { $0.keepOpen = true }
        try session.type("a\n")
        try session.endInput()
        try await session.lines.next(with: "open #1")
        try await session.deliver("later")
        try await session.lines.next(.standardOutput, with: "later")
        session.signal(SIGINT)
        #expect(try await session.code() == .success)
        #expect(session.transport.sockets.map(\.closed?.code) == [.goingAway])
    }

    @Test func decisionsComeLast() async throws {
        let session = try ConnectRig(ScriptedTransport.friendly) { $0.decisions = true }
        try session.endInput()
        #expect(try await session.code() == .success)
        let texts = session.lines.all.map(\.text)
        let start = try #require(texts.firstIndex { $0.contains("asked for ws://localhost") })
        #expect(texts[..<start].contains("idle"))
        #expect(texts[start...].allSatisfy { $0.hasPrefix("+") && !$0.contains("hush") })
        #expect(texts.contains { $0.contains("close #1 with 1000: disconnected") })
    }
}
