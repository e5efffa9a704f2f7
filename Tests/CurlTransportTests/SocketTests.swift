#if os(Linux)
import ConnectionCore
import Foundation
import SteadyTransport
import Synchronization
import Testing
import WebSocketWire

@testable import CurlTransport

/// Demand, limits, the queue and the closing handshake against servers that do as they are told.
@Suite struct SocketTests {
    /// Echoes until the client closes, then answers the Close and ends the connection.
    private static func echo(_ client: ScriptedConnection) throws {
        while let (header, payload) = try client.readFrame() {
            switch header.opcode {
            case .ping: client.send(.pong, payload)
            case .close: return client.send(.close, payload)
            default: client.send(header.opcode, payload)
            }
        }
        throw ScriptError(description: "the connection ended without a Close frame")
    }

    private let echoing: ScriptedServer.Script = { client in
        try client.accept()
        try echo(client)
    }

    // MARK: Many at once

    @Test func attemptsThatWaitForTheirTurnTimeOutAsWell() async throws {
        // Nobody answers the TLS handshakes, so the first attempts hold every place there is to connect.
        let server = try ScriptedServer { client in try client.waitForEnd() }
        var limits = Attempt.patient
        limits.openingHandshake = .milliseconds(300)
        let attempts = try (0..<EventLoop.concurrentConnects + 10).map { _ in
            try Attempt("wss://127.0.0.1:\(server.port)/", limits: limits)
        }
        for attempt in attempts {
            #expect(try await attempt.facts.closed().reason == .openingTimedOut)
        }
        // Their places are free again.
        let echo = try ScriptedServer(echoing)
        let attempt = try Attempt(echo.url())
        _ = try await attempt.facts.opened()
        #expect(try await attempt.close().outcome == .acknowledged)
    }

    @Test func loopsAreIndependent() async throws {
        let server = try ScriptedServer(echoing)
        let (facts, otherEnded) = (FactLog(), Signal())
        let transport = try CurlTransport(options: .init(proxy: ""), loop: EventLoop())
        let socket = transport.open(
            try ConnectionRequest(server.url()), attempt: AttemptID(7), limits: Attempt.patient
        ) { fact in
            facts.append(fact)
            // Holds its loop until a socket of the shared one has come and gone.
            if case .opened = fact { try? otherEnded.block() }
        }
        _ = try await facts.opened()
        let other = try Attempt(server.url())
        _ = try await other.facts.opened()
        #expect(try await other.close().outcome == .acknowledged)
        otherEnded.raise()
        socket.close(code: .normalClosure, reason: "")
        #expect(try await facts.closed().outcome == .acknowledged)
    }

    // MARK: Messages

    @Test func fragmentsBecomeOneMessageWithControlFramesBetween() async throws {
        let server = try ScriptedServer { client in
            try client.accept(then: [0x01, 0x02, 0xC3, 0xA4, 0x89, 0x01, 0x70])  // behind the 101: "ä", Ping
            guard let (header, payload) = try client.readFrame(), header.opcode == .pong, payload == [0x70] else {
                throw ScriptError(description: "no pong")
            }
            client.send(.continuation, [0xC3], isFinal: false)
            client.send(.continuation, [], isFinal: false)
            client.send(.continuation, [0xB6])
            client.send(.binary, [])
            client.sendClose(1000)
            _ = try client.readClose()
        }
        let attempt = try Attempt(server.url())
        #expect(try await attempt.facts.opened() == OpeningResult())
        #expect(try await attempt.facts.message() == .text("äö"))
        #expect(try await attempt.facts.message() == .binary(Data()))
        #expect(try await attempt.facts.closed().reason == .closedByPeer(.normalClosure))
        let pings = attempt.facts.all.count { if case .pingReceived = $0 { true } else { false } }
        #expect(pings == 1)
        try await server.scriptEnded()
    }

    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 3 << 20])
    func messagesOfEverySizeSurvive(size: Int) async throws {
        let server = try ScriptedServer(echoing)
        let attempt = try Attempt(server.url())
        _ = try await attempt.facts.opened()
        let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let text = String(repeating: "é", count: size / 2)
        #expect(await attempt.send(.binary(bytes)) == nil)
        #expect(await attempt.send(.text(text)) == nil)
        #expect(try await attempt.facts.message() == .binary(bytes))
        #expect(try await attempt.facts.message() == .text(text))
        let close = try await attempt.close()
        #expect(close.outcome == .acknowledged)
        try await server.scriptEnded()
    }

    @Test func aPingIsAnsweredAndReported() async throws {
        let server = try ScriptedServer(echoing)
        let attempt = try Attempt(server.url())
        _ = try await attempt.facts.opened()
        attempt.socket.ping()
        try await attempt.facts.pong()
        _ = try await attempt.close()
    }

    // MARK: Demand

    @Test func noMoreMessagesAreReportedThanWereAskedFor() async throws {
        let server = try ScriptedServer { client in
            try client.accept()
            for number in 0..<10 { client.send(.text, Array("\(number)".utf8)) }
            client.send(.ping, [])
            // The Ping stands behind messages nobody has asked for yet, so its Pong proves that all were taken.
            guard let (header, _) = try client.readFrame(), header.opcode == .pong else {
                throw ScriptError(description: "no pong")
            }
            client.sendClose(1001)
            _ = try client.readClose()
        }
        let attempt = try Attempt(server.url(), demand: 0)
        _ = try await attempt.facts.opened()
        for number in 0..<10 {
            attempt.socket.receive(1)
            #expect(try await attempt.facts.message() == .text("\(number)"))
            let reported = attempt.facts.all.count { if case .message = $0 { true } else { false } }
            #expect(reported == number + 1)
        }
        #expect(try await attempt.facts.closed().reason == .closedByPeer(.goingAway))
        try await server.scriptEnded()
    }

    @Test func withoutDemandTheServerFeelsThePressure() async throws {
        let server = try ScriptedServer { client in
            try client.accept()
            // Far more than the kernel's buffers hold: this can end only because the client closes and reads on.
            let burst = [UInt8](repeating: 0x78, count: 64 << 10)
            for _ in 0..<1000 { client.send(.binary, burst) }
            let close = try client.readClose()
            guard close.code == 1000 else { throw ScriptError(description: "the client closed with \(close)") }
            client.sendClose(1000)
        }
        let attempt = try Attempt(server.url(), demand: 0)
        _ = try await attempt.facts.opened()
        attempt.socket.receive(1)
        _ = try await attempt.facts.message()
        #expect(try await attempt.close().outcome == .acknowledged)
        let reported = attempt.facts.all.count { if case .message = $0 { true } else { false } }
        #expect(reported == 1)
        try await server.scriptEnded()
    }

    @Test func messagesReceivedBeforeALossAreStillDelivered() async throws {
        let server = try ScriptedServer { client in
            try client.accept()
            for number in 0..<3 { client.send(.text, Array("\(number)".utf8)) }
            client.sendClose(1011, "broken")
            try client.waitForEnd()
        }
        let attempt = try Attempt(server.url(), demand: 0)
        _ = try await attempt.facts.opened()
        for number in 0..<3 {
            attempt.socket.receive(1)
            #expect(try await attempt.facts.message() == .text("\(number)"))
        }
        let close = try await attempt.facts.closed()
        #expect(close.reason == .closedByPeer(.internalError))
        #expect(close.closeReason == "broken")
    }

    // MARK: Sending

    @Test func sendingNeedsAnOpenSocket() async throws {
        let server = try ScriptedServer { client in
            let head = try client.readHead()
            // Hold the answer until the client has tried to send.
            guard head["x-case"] != nil else { throw ScriptError(description: "no header") }
            try client.waitForEnd()
        }
        let attempt = try Attempt(server.url(), headers: [HeaderField("X-Case", "1")])
        #expect(await attempt.send(.text("early"))?.code == .notOpen)
        attempt.socket.abandon()
        _ = try await attempt.facts.closed()
        #expect(await attempt.send(.text("late"))?.code == .closed)
    }

    @Test func aMessageOverTheLimitIsRefused() async throws {
        let server = try ScriptedServer(echoing)
        var limits = Attempt.patient
        limits.maximumMessageBytes = 1000
        let attempt = try Attempt(server.url(), limits: limits)
        _ = try await attempt.facts.opened()
        let refusal = await attempt.send(.binary(Data(count: 1001)))
        #expect(refusal?.code == .messageTooBig)
        #expect(refusal?.message.contains("1001") == true && refusal?.message.contains("1000") == true)
        #expect(await attempt.send(.text(String(repeating: "é", count: 501)))?.code == .messageTooBig)
        #expect(await attempt.send(.binary(Data(count: 1000))) == nil)
        #expect(try await attempt.facts.message() == .binary(Data(count: 1000)))
        _ = try await attempt.close()
    }

    @Test func theQueueIsBoundedAndEveryMessageIsAccountedFor() async throws {
        let isFull = Signal()
        let server = try ScriptedServer { client in
            try client.accept()
            try isFull.block()
            try Self.echo(client)
        }
        var limits = Attempt.patient
        limits.maximumQueuedBytes = 1 << 20
        let attempt = try Attempt(server.url(), limits: limits)
        _ = try await attempt.facts.opened()
        // Larger than the bound, but the queue is empty; and larger than the kernel's buffers.
        let answers = Mutex<[ConnectionError.Code?]>([])
        let largeAnswer = Mutex<ConnectionError??>(nil)
        attempt.socket.send(.binary(Data(count: 12 << 20))) { error in largeAnswer.withLock { $0 = .some(error) } }
        while answers.withLock({ $0.allSatisfy { $0 == nil } }) {
            attempt.socket.send(.binary(Data(count: 4096))) { error in answers.withLock { $0.append(error?.code) } }
        }
        #expect(answers.withLock { $0.last } == .queueFull)
        isFull.raise()
        #expect(try await attempt.close().outcome == .acknowledged)
        #expect(largeAnswer.withLock { $0 } == .some(nil))
        #expect(answers.withLock { Set($0) }.isSubset(of: [nil, .queueFull]))
        try await server.scriptEnded()
    }

    @Test func messagesThatDidNotGetOutAreReported() async throws {
        let server = try ScriptedServer { client in
            try client.accept()
            _ = try client.readFrame()
            client.reset()
        }
        let attempt = try Attempt(server.url())
        _ = try await attempt.facts.opened()
        #expect(await attempt.send(.text("go")) == nil)
        let close = try await attempt.facts.closed()
        #expect(close.reason == .connectionLost)
        #expect(close.closeCode == .abnormalClosure)
        #expect(close.outcome == nil)
        #expect(await attempt.send(.text("late"))?.code == .closed)
    }
}

#endif
