#if os(Linux)
import ConnectionCore
import CurlTransport
import Foundation
import SteadyTransport
import Testing
import WebSocketWire

/// How sockets end, and what both sides learn of it.
@Suite struct ClosingTests {
    @Test func theServerGetsCodeAndReasonBehindWhatWasQueued() async throws {
        let server = try ScriptedServer { client in
            try client.accept()
            var bytes = 0
            while let (header, payload) = try client.readFrame() {
                guard header.opcode == .close else {
                    bytes += payload.count
                    continue
                }
                let close = try ClosePayload.decode(payload)
                guard bytes == 50 * 100_000, close == ClosePayload(code: 4001, reason: "später") else {
                    throw ScriptError(description: "\(bytes) bytes, \(close)")
                }
                return client.send(.close, payload)
            }
            throw ScriptError(description: "no Close frame")
        }
        let attempt = try Attempt(server.url())
        _ = try await attempt.facts.opened()
        for _ in 0..<50 { attempt.socket.send(.binary(Data(count: 100_000))) { _ in } }
        let close = try await attempt.close(CloseCode(rawValue: 4001), "später")
        #expect(close.reason == .closedByPeer(CloseCode(rawValue: 4001)))
        #expect(close.outcome == .acknowledged)
        try await server.scriptEnded()
    }

    @Test func nothingFollowsTheCloseFrame() async throws {
        let server = try ScriptedServer { client in
            try client.accept()
            guard try client.readClose().code == 1000 else { throw ScriptError(description: "no Close frame") }
            // A client that has closed answers neither pings nor messages.
            client.send(.ping, [1])
            client.send(.text, Array("late".utf8))
            client.sendClose(1000)
            if let (header, _) = try client.readFrame() { throw ScriptError(description: "got \(header)") }
        }
        let attempt = try Attempt(server.url())
        _ = try await attempt.facts.opened()
        attempt.socket.close(code: .normalClosure, reason: "")
        attempt.socket.ping()
        #expect(await attempt.send(.text("late"))?.code == .closed)
        attempt.socket.close(code: .goingAway, reason: "the first call counts")
        #expect(try await attempt.facts.closed().outcome == .acknowledged)
        try await server.scriptEnded()
    }

    @Test func aServerThatHangsUpWithoutAnsweringGotTheFrame() async throws {
        let server = try ScriptedServer { client in
            try client.accept()
            _ = try client.readClose()
        }
        let attempt = try Attempt(server.url())
        _ = try await attempt.facts.opened()
        let close = try await attempt.close()
        #expect(close.reason == .connectionLost)
        #expect(close.outcome == .flushed)
        #expect(close.closeCode == .abnormalClosure)
    }

    @Test func aServerThatNeverAnswersIsLeftInTime() async throws {
        let server = try ScriptedServer { client in
            try client.accept()
            try client.waitForEnd()
        }
        var limits = Attempt.patient
        limits.closingHandshake = .milliseconds(50)
        let attempt = try Attempt(server.url(), limits: limits)
        _ = try await attempt.facts.opened()
        let close = try await attempt.close()
        #expect(close.reason == .connectionLost)
        #expect(close.outcome == .unknown(after: .milliseconds(50)))
        try await server.scriptEnded()
    }

    @Test("a slow consumer gets every message and the code of a server that has gone, whatever it sends meanwhile")
    func slowConsumer() async throws {
        let isGone = Signal()
        let server = try ScriptedServer { client in
            try client.accept()
            for text in ["a", "b", "c"] { client.send(.text, Array(text.utf8)) }
            client.sendClose(4001, "bye")
            client.close()
            isGone.raise()
        }
        let attempt = try Attempt(server.url(), demand: 0)
        _ = try await attempt.facts.opened()
        attempt.socket.receive(1)
        #expect(try await attempt.facts.message() == .text("a"))
        try await isGone.wait()
        // The first one meets a connection that is gone, which the kernel tells with the second.
        while await attempt.send(.text("?")) == nil {}
        attempt.socket.receive(2)
        #expect(try await attempt.facts.message() == .text("b"))
        #expect(try await attempt.facts.message() == .text("c"))
        #expect(try await attempt.facts.closed().closeCode == CloseCode(rawValue: 4001))
    }

    @Test("a Close frame whose answer was given up still arrives, whatever the server sends meanwhile")
    func abandoned() async throws {
        let isAbandoned = Signal()
        let server = try ScriptedServer { client in
            try client.accept()
            try isAbandoned.block()
            // Without somebody who reads, the first of these would be answered with a reset.
            for _ in 0..<32 {
                guard client.send([UInt8](repeating: 0x8A, count: 1)), client.send([0]) else {
                    throw ScriptError(description: "the connection is reset")
                }
                usleep(1000)
            }
            let close = try client.readClose()
            guard close == ClosePayload(code: 1000, reason: "gone") else {
                throw ScriptError(description: "the client closed with \(close)")
            }
            try client.waitForEnd()
        }
        let attempt = try Attempt(server.url())
        _ = try await attempt.facts.opened()
        attempt.socket.close(code: .normalClosure, reason: "gone")
        attempt.socket.abandon()
        let end = try await attempt.facts.closed()
        #expect(end.reason == .connectionLost)
        isAbandoned.raise()
        try await server.scriptEnded()
    }

    @Test func aServerThatAnswersButKeepsTheConnectionIsLeftInTime() async throws {
        let server = try ScriptedServer { client in
            try client.accept()
            let close = try client.readClose()
            client.send(.close, close.encode())
            try client.waitForEnd()
        }
        let attempt = try Attempt(server.url())
        _ = try await attempt.facts.opened()
        let close = try await attempt.close()
        #expect(close.reason == .closedByPeer(.normalClosure))
        #expect(close.outcome == .acknowledged)
        try await server.scriptEnded()
    }

    @Test func theOtherSidesCodeIsEchoedAsItCame() async throws {
        for code: UInt16 in [1000, 1001, 1003, 1007, 1008, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999] {
            let server = try ScriptedServer { client in
                try client.accept()
                client.sendClose(code, "why")
                let close = try client.readClose()
                guard close == ClosePayload(code: code) else { throw ScriptError(description: "echoed \(close)") }
            }
            let close = try await Attempt(server.url()).facts.closed()
            #expect(
                close
                    == TransportClose(
                        .closedByPeer(.init(rawValue: code)), closeCode: .init(rawValue: code), closeReason: "why"))
            try await server.scriptEnded()
        }
    }

    @Test func anEmptyCloseIsReportedAs1005AndAnsweredWithAnEmptyOne() async throws {
        let server = try ScriptedServer { client in
            try client.accept()
            client.send(.close, [])
            let close = try client.readClose()
            guard close == ClosePayload() else { throw ScriptError(description: "echoed \(close)") }
        }
        let close = try await Attempt(server.url()).facts.closed()
        #expect(close == TransportClose(.closedByPeer(.noStatusReceived), closeCode: .noStatusReceived))
        try await server.scriptEnded()
    }

    @Test func closingDuringTheHandshakeFinishesItFirst() async throws {
        let (hasRequest, hasClosed) = (Signal(), Signal())
        let server = try ScriptedServer { client in
            let head = try client.readHead()
            client.send(Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n".utf8))
            hasRequest.raise()
            try hasClosed.block()
            let accept = HandshakeKey.accept(for: head["sec-websocket-key"] ?? "")
            client.send(Array("Sec-WebSocket-Accept: \(accept)\r\n\r\n".utf8))
            let close = try client.readClose()
            guard close == ClosePayload(code: 1000, reason: "changed my mind") else {
                throw ScriptError(description: "the client closed with \(close)")
            }
            client.send(.close, close.encode())
        }
        let attempt = try Attempt(server.url())
        try await hasRequest.wait()
        attempt.socket.close(code: .normalClosure, reason: "changed my mind")
        hasClosed.raise()
        let close = try await attempt.facts.closed()
        #expect(close.reason == .closedByPeer(.normalClosure))
        #expect(close.outcome == .acknowledged)
        #expect(attempt.facts.all.count == 1, "an attempt closed before it opened reports its end only")
        try await server.scriptEnded()
    }

    @Test func closingBeforeAnythingWasSentEndsAtOnce() async throws {
        // The kernel takes the connection in, but nobody answers the TLS handshake.
        let server = try ScriptedServer { client in try client.waitForEnd() }
        let attempt = try Attempt("wss://127.0.0.1:\(server.port)/")
        let close = try await attempt.close()
        #expect(close.reason == .connectionLost)
        guard case .unknown = close.outcome else {
            Issue.record("outcome \(String(describing: close.outcome))")
            return
        }
        #expect(attempt.facts.all.count == 1)
    }

    @Test func aRefusalAfterCloseIsNotTheCause() async throws {
        let (hasRequest, hasClosed) = (Signal(), Signal())
        let server = try ScriptedServer { client in
            _ = try client.readHead()
            hasRequest.raise()
            try hasClosed.block()
            client.send(Array("HTTP/1.1 503 Busy\r\nRetry-After: 5\r\n\r\n".utf8))
        }
        let attempt = try Attempt(server.url())
        try await hasRequest.wait()
        attempt.socket.close(code: .normalClosure, reason: "")
        hasClosed.raise()
        let close = try await attempt.facts.closed()
        #expect(close.reason == .connectionLost)
    }

    @Test func abandoningEndsAtOnceAndOnlyOnce() async throws {
        let server = try ScriptedServer { client in
            try client.accept()
            try client.waitForEnd()
        }
        let attempt = try Attempt(server.url())
        _ = try await attempt.facts.opened()
        attempt.socket.abandon()
        attempt.socket.abandon()
        attempt.socket.close(code: .normalClosure, reason: "")
        let close = try await attempt.facts.closed()
        #expect(close.reason == .connectionLost)
        try await server.scriptEnded()
        let ends = attempt.facts.all.count { if case .closed = $0 { true } else { false } }
        #expect(ends == 1)
    }

    @Test func theServersCloseIsSeenEvenIfTheConnectionBreaksWhileSending() async throws {
        let server = try ScriptedServer { client in
            try client.accept()
            _ = try client.readFrame()
            client.sendClose(1013, "busy")
            // Unread data makes this a reset on the client's side once it goes on sending.
            client.close()
        }
        let attempt = try Attempt(server.url())
        _ = try await attempt.facts.opened()
        attempt.socket.send(.text("go")) { _ in }
        let close = try await attempt.facts.closed()
        #expect(close.reason == .closedByPeer(.tryAgainLater))
    }
}
#endif
