#if os(Linux)
import ConnectionCore
import CurlTransport
import SteadyTransport
import Testing
import WebSocketWire

/// A server that breaks the rules, byte by byte: the client says which rule, and closes with the code RFC 6455 gives it.
@Suite struct BadInputTests {
    private static let text = Array("hi".utf8)

    static let violations: [(name: String, code: UInt16, bytes: [UInt8])] = [
        ("a masked frame", 1002, [0x81, 0x82, 1, 2, 3, 4, 0x69, 0x6B]),
        ("RSV1 without an extension", 1002, [0xC1, 0x02] + text),
        ("RSV2", 1002, [0xA1, 0x02] + text),
        ("RSV3", 1002, [0x91, 0x02] + text),
        ("a reserved data opcode", 1002, [0x83, 0x02] + text),
        ("a reserved control opcode", 1002, [0x8B, 0x00]),
        ("a continuation of nothing", 1002, [0x80, 0x02] + text),
        ("a message within a message", 1002, [0x01, 0x01, 0x61, 0x81, 0x01, 0x62]),
        ("a fragmented Ping", 1002, [0x09, 0x00]),
        ("a Ping of 126 bytes", 1002, [0x89, 0x7E, 0x00, 0x7E] + [UInt8](repeating: 0, count: 126)),
        ("a length in too many bytes", 1002, [0x82, 0x7E, 0x00, 0x01, 0x00]),
        ("a length with its top bit set", 1002, [0x82, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 1, 0]),
        ("a Close with half a code", 1002, [0x88, 0x01, 0x03]),
        ("a Close with 999", 1002, [0x88, 0x02, 0x03, 0xE7]),
        ("a Close with 1005", 1002, [0x88, 0x02, 0x03, 0xED]),
        ("a Close with 1006", 1002, [0x88, 0x02, 0x03, 0xEE]),
        ("a Close with 1015", 1002, [0x88, 0x02, 0x03, 0xF7]),
        ("a Close with 2999", 1002, [0x88, 0x02, 0x0B, 0xB7]),
        ("a Close with 5000", 1002, [0x88, 0x02, 0x13, 0x88]),
        ("a Close whose reason is not UTF-8", 1007, [0x88, 0x03, 0x03, 0xE8, 0xFF]),
        ("text that is not UTF-8", 1007, [0x81, 0x02, 0xFF, 0xFE]),
        ("text cut within a character", 1007, [0x81, 0x01, 0xC3]),
        ("bad text in the first of many fragments", 1007, [0x01, 0x02, 0xC3, 0x28]),
        ("bad text across fragments", 1007, [0x01, 0x01, 0xC3, 0x80, 0x01, 0x28]),
        ("a surrogate", 1007, [0x81, 0x03, 0xED, 0xA0, 0x80]),
        ("one byte too many", 1009, [0x82, 0x7E, 0x03, 0xE9] + [UInt8](repeating: 0, count: 1001)),
        ("an announcement of an exbibyte", 1009, [0x82, 0x7F, 0x10, 0, 0, 0, 0, 0, 0, 0, 0]),
        (
            "fragments that are too much together", 1009,
            [0x02, 0x7E, 0x03, 0xE8] + [UInt8](repeating: 0, count: 1000) + [0x80, 0x01, 0x00]
        ),
    ]

    @Test(arguments: violations)
    func aBrokenRuleClosesWithItsCode(name: String, code: UInt16, bytes: [UInt8]) async throws {
        let server = try ScriptedServer { client in
            try client.accept(then: bytes)
            let close = try client.readClose()
            guard close.code == code else { throw ScriptError(description: "the client closed with \(close)") }
        }
        var limits = Attempt.patient
        limits.maximumMessageBytes = 1000
        let attempt = try Attempt(server.url(), limits: limits)
        let close = try await attempt.facts.closed()
        #expect(close.reason == .protocolViolation(CloseCode(rawValue: code)), "\(name)")
        #expect(close.closeCode == .abnormalClosure)
        #expect(close.outcome == .flushed)
        #expect(close.error?.code == .protocolViolation)
        try await server.scriptEnded()
    }

    @Test func aFragmentOfBadTextIsRefusedBeforeTheRestArrives() async throws {
        let server = try ScriptedServer { client in
            // Ten bytes are announced; the second is bad, and no more come.
            try client.accept(then: [0x81, 0x0A, 0x61, 0xFF])
            let close = try client.readClose()
            guard close.code == 1007 else { throw ScriptError(description: "the client closed with \(close)") }
        }
        let attempt = try Attempt(server.url())
        #expect(try await attempt.facts.closed().reason == .protocolViolation(.invalidPayloadData))
        try await server.scriptEnded()
    }

    static let compressed: [(name: String, code: UInt16, bytes: [UInt8])] = [
        ("RSV1 on a continuation", 1002, [0x01, 0x01, 0x61, 0xC0, 0x01, 0x62]),
        ("RSV1 on a Ping", 1002, [0xC9, 0x00]),
        ("what is not DEFLATE", 1007, [0xC2, 0x03, 0xFF, 0xFF, 0xFF]),
        // 2,000 times "a" in 18 bytes; the limit is 1,000.
        (
            "a message that grows beyond the limit", 1009,
            [
                0xC2, 0x12, 0x4A, 0x4C, 0x1C, 0x05, 0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x50,
                0x07, 0x00, 0x00,
            ]
        ),
        ("compressed text that is not UTF-8", 1007, [0xC1, 0x04, 0xFA, 0xFF, 0x0F, 0x00]),
    ]

    @Test(arguments: compressed)
    func compressionIsNoWayAroundTheRules(name: String, code: UInt16, bytes: [UInt8]) async throws {
        let server = try ScriptedServer { client in
            try client.accept(headers: "Sec-WebSocket-Extensions: permessage-deflate\r\n", then: bytes)
            let close = try client.readClose()
            guard close.code == code else { throw ScriptError(description: "the client closed with \(close)") }
        }
        var limits = Attempt.patient
        limits.maximumMessageBytes = 1000
        let attempt = try Attempt(server.url(), limits: limits)
        let close = try await attempt.facts.closed()
        #expect(
            close.reason == .protocolViolation(CloseCode(rawValue: code)), "\(name): \(String(describing: close.error))"
        )
        try await server.scriptEnded()
    }

    static let answers: [(name: String, answer: String, failure: OpeningFailure)] = [
        (
            "a wrong accept",
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
            .invalidResponse
        ),
        ("no upgrade", "HTTP/1.1 101 x\r\nConnection: Upgrade\r\n\r\n", .invalidResponse),
        ("garbage", "\u{1}\u{2}\u{3} garbage \r\n\r\n", .invalidResponse),
        ("nothing", "", .connectionLost),
        ("half an answer", "HTTP/1.1 101 Switch", .connectionLost),
    ]

    @Test(arguments: answers)
    func anAnswerThatIsNotOneFailsTheAttempt(name: String, answer: String, failure: OpeningFailure) async throws {
        let server = try ScriptedServer { client in
            _ = try client.readHead()
            client.send(Array(answer.utf8))
        }
        let attempt = try Attempt(server.url("/?token=secret"))
        let close = try await attempt.facts.closed()
        #expect(close.reason == .openingFailed(failure), "\(name)")
        #expect(close.closeCode == .abnormalClosure)
        #expect(close.error?.description.contains("secret") == false)
        try await server.scriptEnded()
    }

    @Test func anEndlessAnswerIsCutOff() async throws {
        let server = try ScriptedServer { client in
            _ = try client.readHead()
            client.send(Array("HTTP/1.1 101 Switching Protocols\r\n".utf8))
            let line = Array(("X-More: " + String(repeating: "x", count: 1000) + "\r\n").utf8)
            for _ in 0..<100_000 where !client.send(line) { return }
            throw ScriptError(description: "the client read 100 MB of headers")
        }
        let attempt = try Attempt(server.url())
        #expect(try await attempt.facts.closed().reason == .openingFailed(.invalidResponse))
        try await server.scriptEnded()
    }

    @Test func aRedirectIsARefusal() async throws {
        let server = try ScriptedServer { client in
            _ = try client.readHead()
            client.send(Array("HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        let close = try await Attempt(server.url()).facts.closed()
        #expect(close.reason == .openingRefused(status: 302))
        #expect(close.error?.code == .refused)
    }

    @Test func aServerThatNeverAnswersRunsIntoTheTimeout() async throws {
        let server = try ScriptedServer { client in
            _ = try client.readHead()
            try client.waitForEnd()
        }
        var limits = Attempt.patient
        limits.openingHandshake = .milliseconds(50)
        let close = try await Attempt(server.url(), limits: limits).facts.closed()
        #expect(close.reason == .openingTimedOut)
        #expect(close.error?.code == .timedOut)
    }

    @Test func aFloodOfPingsIsAnsweredWithinBounds() async throws {
        // The server pings and does not read; the pongs that wait must not grow without end.
        let server = try ScriptedServer { client in
            try client.accept()
            let ping: [UInt8] = [0x89, 0x7D] + [UInt8](repeating: 0x70, count: 125)
            let burst = Array(repeatElement(ping, count: 1000).joined())
            for _ in 0..<200 { guard client.send(burst) else { break } }
            client.send(.ping, Array("last".utf8))
            while let (header, payload) = try client.readFrame() {
                if header.opcode == .pong && payload == Array("last".utf8) { return client.sendClose(1000) }
            }
            throw ScriptError(description: "the last ping was not answered")
        }
        let attempt = try Attempt(server.url())
        #expect(try await attempt.facts.closed().reason == .closedByPeer(.normalClosure))
        try await server.scriptEnded()
    }
}
#endif
