#if os(Linux)
import Foundation
import SteadyTransport
import Testing
import WebSocketWire

@testable import CurlTransport

/// The bytes of the upgrade request and the judgement of the answer.
@Suite struct OpeningHandshakeTests {
    private let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    private func handshake(subprotocols: [String] = [], offersDeflate: Bool = true) throws -> OpeningHandshake {
        let request = try ConnectionRequest("ws://a.example/", subprotocols: subprotocols)
        return OpeningHandshake(request, offersDeflate: offersDeflate, key: key)
    }

    private func answer(
        _ text: String, subprotocols: [String] = [], offersDeflate: Bool = true
    ) throws -> OpeningHandshake.Answer {
        var handshake = try handshake(subprotocols: subprotocols, offersDeflate: offersDeflate)
        return Array(text.utf8).withUnsafeBytes { handshake.receive($0) }
    }

    private func good(_ more: String = "") -> String {
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(accept)\r\n\(more)\r\n"
    }

    @Test func theRequestIsWhatTheRFCAsksFor() throws {
        let request = try ConnectionRequest(
            "wss://a.example:8443/chat%20room?token=x", headers: [HeaderField("Authorization", "Bearer t")],
            subprotocols: ["v2", "v1"])
        let handshake = OpeningHandshake(request, offersDeflate: true, key: key)
        let text = String(decoding: handshake.requestBytes(request, to: Endpoint(request)), as: UTF8.self)
        #expect(
            text == """
                GET /chat%20room?token=x HTTP/1.1\r
                Host: a.example:8443\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Version: 13\r
                Sec-WebSocket-Key: \(key)\r
                Sec-WebSocket-Protocol: v2, v1\r
                Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r
                Authorization: Bearer t\r
                \r

                """)
    }

    @Test(arguments: [
        ("ws://a.example", "a.example", "/", false, 80), ("ws://a.example:80/x", "a.example", "/x", false, 80),
        ("wss://a.example:443?q", "a.example", "/?q", true, 443),
        ("WSS://a.example:80/", "a.example:80", "/", true, 80),
        ("ws://[::1]:9001/p", "[::1]:9001", "/p", false, 9001),
        ("ws://127.0.0.1/a?b=%20", "127.0.0.1", "/a?b=%20", false, 80),
        ("ws://bücher.example/", "xn--bcher-kva.example", "/", false, 80),
    ])
    func urlsAreTakenApart(url: String, host: String, target: String, isSecure: Bool, port: Int) throws {
        let endpoint = Endpoint(try ConnectionRequest(url))
        #expect(endpoint.hostHeader == host)
        #expect(endpoint.target == target)
        #expect(endpoint.isSecure == isSecure)
        #expect(endpoint.port == port)
    }

    @Test func aGoodAnswerIsAcceptedHoweverItArrives() throws {
        let bytes = Array((good("Sec-WebSocket-Protocol: v1\r\n") + "rest").utf8)
        for step in [1, 7, 64, 4096] {
            var handshake = try handshake(subprotocols: ["v2", "v1"])
            var accepted: OpeningHandshake.Agreement?
            var rest: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: step) {
                let piece = Array(bytes[start..<min(start + step, bytes.count)])
                if accepted != nil {
                    rest += piece
                } else if case .accepted(let agreement) = piece.withUnsafeBytes({ handshake.receive($0) }) {
                    accepted = agreement
                    rest = Array(agreement.rest)
                }
            }
            #expect(accepted?.result == OpeningResult(subprotocol: "v1", extensions: ""))
            #expect(rest == Array("rest".utf8))
        }
    }

    @Test func namesAndTokensAreComparedWithoutRegardToCase() throws {
        let text =
            "HTTP/1.1 101 x\r\nUPGRADE: WebSocket\r\nconnection: keep-alive, UPGRADE\r\n"
            + "sec-websocket-ACCEPT:\(accept)\r\n\r\n"
        guard case .accepted = try answer(text) else {
            Issue.record("refused")
            return
        }
    }

    @Test func interimAnswersAreSkipped() throws {
        guard case .accepted = try answer("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + good()) else {
            Issue.record("refused")
            return
        }
        let endless = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 9)
        guard case .invalid = try answer(endless) else {
            Issue.record("nine interim answers were taken")
            return
        }
    }

    @Test(arguments: [
        (
            "wrong accept",
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
            "Accept"
        ),
        ("no accept", "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", "Accept"),
        (
            "two accepts",
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Accept: x\r\n\r\n",
            "Accept"
        ),
        (
            "no upgrade",
            "HTTP/1.1 101 x\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
            "Upgrade"
        ),
        (
            "no connection",
            "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
            "Connection"
        ),
        (
            "HTTP/1.0",
            "HTTP/1.0 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
            "HTTP/1.1"
        ),
        ("garbage", "\u{0}\u{1}garbage", "not HTTP"),
        ("another protocol", "SSH-2.0-OpenSSH_9.2\r\n", "not HTTP"),
        ("bad status", "HTTP/1.1 1x1 y\r\n\r\n", "status line"),
        ("no status", "HTTP/1.1\r\n\r\n", "status line"),
        ("no colon", "HTTP/1.1 101 x\r\nupgrade\r\n\r\n", "colon"),
    ])
    func answersTheRFCForbidsAreRefused(name: String, text: String, word: String) throws {
        guard case .invalid(let message) = try answer(text) else {
            Issue.record("\(name) was accepted")
            return
        }
        #expect(message.contains(word), "\(name): \(message)")
    }

    @Test(arguments: [
        ("Sec-WebSocket-Protocol: v3\r\n", "subprotocol"),
        ("Sec-WebSocket-Protocol: v1, v2\r\n", "subprotocol"),
        ("Sec-WebSocket-Extensions: x-webkit-deflate-frame\r\n", "extension"),
        ("Sec-WebSocket-Extensions: permessage-deflate, permessage-deflate\r\n", "more than one"),
        ("Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=16\r\n", "window size"),
        ("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n", "parameter"),
        ("Sec-WebSocket-Extensions: permessage-deflate; x=1\r\n", "parameter"),
        (
            "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; server_no_context_takeover\r\n",
            "twice"
        ),
    ])
    func choicesThatWereNotOfferedAreRefused(header: String, word: String) throws {
        guard case .invalid(let message) = try answer(good(header), subprotocols: ["v1", "v2"]) else {
            Issue.record("accepted: \(header)")
            return
        }
        #expect(message.contains(word), "\(message)")
    }

    @Test func anExtensionIsRefusedWhenNoneWasOffered() throws {
        let text = good("Sec-WebSocket-Extensions: permessage-deflate\r\n")
        guard case .invalid = try answer(text, offersDeflate: false) else {
            Issue.record("accepted")
            return
        }
    }

    @Test(arguments: [
        ("permessage-deflate", 15, 15, true),
        ("permessage-deflate; server_no_context_takeover; client_no_context_takeover", 15, 15, false),
        ("permessage-deflate;client_max_window_bits=9 ; server_max_window_bits = \"10\"", 9, 10, true),
    ])
    func deflateParametersAreRead(text: String, client: Int32, server: Int32, keeps: Bool) throws {
        guard case .accepted(let agreement) = try answer(good("Sec-WebSocket-Extensions: \(text)\r\n")) else {
            Issue.record("refused")
            return
        }
        #expect(agreement.deflate?.clientWindowBits == client)
        #expect(agreement.deflate?.serverWindowBits == server)
        #expect(agreement.deflate?.serverKeepsContext == keeps)
        #expect(agreement.result.extensions == text)
    }

    @Test func anAnswerWithoutAnEndIsCutOff() throws {
        var handshake = try handshake()
        let line = Array(("X: " + String(repeating: "x", count: 1000) + "\r\n").utf8)
        var answers = 0
        _ = Array("HTTP/1.1 101 x\r\n".utf8).withUnsafeBytes { handshake.receive($0) }
        for _ in 0..<100 {
            answers += 1
            if case .invalid(let message) = line.withUnsafeBytes({ handshake.receive($0) }) {
                #expect(message.contains("no end"))
                #expect(answers <= OpeningHandshake.maximumHeadBytes / line.count + 1)
                return
            }
        }
        Issue.record("100 KiB were taken")
    }

    @Test(
        arguments: [
            ("120", nil, 120), ("0", nil, 0), ("99999999999999999999", nil, RetryAfter.maximumSeconds),
            ("-1", nil, nil),
            ("1.5", nil, nil), ("soon", nil, nil), ("", nil, nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:07 GMT", 30),
            ("Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:48:37 1994", 60),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:37 GMT", 0),
            // Without a Date, from now, which is 1994-11-06 08:49:00 here.
            ("Sun, 06 Nov 1994 08:49:37 GMT", nil, 37), ("Sun, 06 Nov 1994 08:49:37 GMT", "no date", 37),
            ("Mon, 29 Feb 2024 00:00:00 GMT", "Sun, 28 Feb 2024 23:59:59 GMT", 1),
            ("Sun, 06 Foo 1994 08:49:37 GMT", nil, nil),
            ("Sun, 06 Nov 1994 24:49:37 GMT", nil, nil),
        ] as [(String, String?, Int64?)])
    func retryAfterIsReadInEveryForm(value: String, date: String?, seconds: Int64?) throws {
        let now = Date(timeIntervalSince1970: 784_111_740)
        var handshake = try handshake()
        let text =
            "HTTP/1.1 503 Busy\r\nRetry-After: \(value)\r\n" + (date.map { "Date: \($0)\r\n" } ?? "") + "\r\n"
        guard
            case .refused(status: 503, let retryAfter) = Array(text.utf8).withUnsafeBytes({
                handshake.receive($0, now: now)
            })
        else {
            Issue.record("not refused")
            return
        }
        #expect(retryAfter == seconds.map { .seconds($0) })
    }
}
#endif
