import Foundation
import SteadySocket
import SteadySocketURLSessionTestKit
import Testing
import URLSessionTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct OpeningTests {
    @Test("complaint 8: open is what didOpen says, not what resume hopes")
    func opened() throws {
        let bench = try Bench(script: Bench.silent)
        #expect(bench.facts.all.isEmpty)
        #expect(bench.send(.text("early")).all == [.notOpen])
        try bench.task.opens(headers: ["Sec-WebSocket-Extensions": "permessage-deflate"])
        guard case .opened(let result) = bench.facts.all.first else {
            Issue.record("not opened")
            return
        }
        #expect(result == OpeningResult(subprotocol: nil, extensions: "permessage-deflate"))
        #expect(bench.simulator.census.timers == 0)
    }

    @Test(
        "complaint 18: a refused upgrade reports its status and Retry-After",
        arguments: [
            (["Retry-After": "120"], Duration.seconds(120)), ([:], nil), (["Retry-After": "soon"], nil),
            (["retry-after": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:48:37 GMT"], .seconds(60)),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"], .zero),
        ] as [([String: String], Duration?)])
    func refused(headers: [String: String], retryAfter: Duration?) throws {
        let bench = try Bench { call, task in
            if call == .resume { task.refuses(status: 429, headers: headers) }
        }
        try bench.expectEnd(.openingRefused(status: 429))
        #expect(bench.facts.end?.retryAfter == retryAfter)
        #expect(bench.facts.end?.error?.code == .refused)
        #expect(try bench.invalidation == .finishTasksAndInvalidate)
    }

    @Test("complaint 18: the quirk of a refused upgrade")
    func refusedQuirk() throws {
        let bench = try Bench([.refusedUpgrade])
        try bench.expectEnd(.openingRefused(status: 503))
        #expect(bench.facts.end?.retryAfter == .seconds(7))
    }

    @Test("complaint 19: 401 and 403 are told apart from a lost connection", arguments: [401, 403])
    func unauthorized(status: Int) throws {
        let bench = try Bench { call, task in if call == .resume { task.refuses(status: status) } }
        try bench.expectEnd(.openingRefused(status: status))
    }

    @Test("a redirect is not followed; it is a refusal")
    func redirect() throws {
        let target = try #require(URL(string: "wss://elsewhere.example/"))
        let bench = try Bench { call, task in if call == .resume { task.redirects(to: target) } }
        try bench.expectEnd(.openingRefused(status: 302))
        #expect(!bench.facts.isOpened)
    }

    @Test("complaint 21: a handshake that hangs ends by our own deadline")
    func hung() throws {
        let bench = try Bench([.hungHandshake])
        bench.advance(.milliseconds(14_999))
        #expect(bench.facts.end == nil)
        bench.advance(.milliseconds(1))
        #expect(try bench.invalidation == .invalidateAndCancel)
        try bench.expectEnd(.openingTimedOut)
    }

    @Test("complaint 21: the system's timeouts are out of the way of ours")
    func systemTimeouts() throws {
        let task = try Bench().task
        #expect(task.configuration.timeoutIntervalForRequest == 604_800)
        #expect(task.configuration.timeoutIntervalForResource == 604_800)
        #expect(task.request.timeoutInterval == 604_800)
    }

    @Test("complaint 22: a close during the handshake waits for it, then sends its code")
    func closeWhileOpening() throws {
        let bench = try Bench(script: Bench.silent)
        bench.socket?.close(code: .goingAway, reason: "background")
        #expect(bench.send(.text("no")).all == [.closed])
        bench.advance(.milliseconds(1500))
        // A cancel would have broken the connection off here.
        #expect(try bench.task.cancelCodes == [])
        try bench.task.opens()
        #expect(!bench.facts.isOpened)
        #expect(try bench.task.cancelCodes == [1001])
        try bench.task.closes(code: .goingAway)
        try bench.expectEnd(.closedByPeer(.goingAway), .acknowledged)
    }

    @Test("complaint 22: a handshake that hangs holds a close no longer than a closing handshake may take")
    func closeWhileHung() throws {
        let bench = try Bench([.hungHandshake])
        bench.socket?.close(code: .normalClosure, reason: "")
        bench.advance(.seconds(2))
        #expect(try bench.task.cancelCodes == [])
        #expect(try bench.invalidation == .invalidateAndCancel)
        try bench.expectEnd(.connectionLost, .unknown(after: .seconds(2)))
    }

    @Test("complaint 22: a refusal that crosses a close is its end")
    func refusedWhileClosing() throws {
        let bench = try Bench(script: Bench.silent)
        bench.socket?.close(code: .normalClosure, reason: "")
        bench.advance(.milliseconds(300))
        try bench.task.refuses(status: 503)
        try bench.expectEnd(.connectionLost, .unknown(after: .milliseconds(300)))
    }

    @Test("complaint 6: abandoning an attempt that is opening ends its session")
    func abandonWhileOpening() throws {
        let bench = try Bench([.hungHandshake])
        bench.socket?.abandon()
        try bench.expectEnd(.connectionLost, .unknown(after: .zero))
    }

    @Test("headers and subprotocols go into the request")
    func request() throws {
        let task = try Bench(
            headers: [HeaderField("Authorization", "Bearer x"), HeaderField("X-A", "1"), HeaderField("X-A", "2")],
            subprotocols: ["chat.v2", "chat.v1"]
        ).task
        #expect(task.request.value(forHTTPHeaderField: "Authorization") == "Bearer x")
        #expect(task.request.value(forHTTPHeaderField: "X-A") == "1,2")
        #expect(task.request.value(forHTTPHeaderField: "Sec-WebSocket-Protocol") == "chat.v2, chat.v1")
        #expect(task.configuration.httpAdditionalHeaders == nil)
        #expect(task.configuration.urlCache == nil)
    }

    @Test("opensWithURL moves the headers to the configuration, and configure has the last word on it")
    func withURL() throws {
        var options = URLSessionTransport.Options()
        options.opensWithURL = true
        options.configure = {
            $0.allowsCellularAccess = false
            $0.connectionProxyDictionary = ["HTTPSProxy": "proxy.example"]
        }
        let task = try Bench(
            options: options, headers: [HeaderField("X-A", "1"), HeaderField("X-A", "2")], subprotocols: ["chat"]
        ).task
        #expect(task.configuration.httpAdditionalHeaders?["X-A"] as? String == "1, 2")
        #expect(!task.configuration.allowsCellularAccess)
        #expect(task.configuration.connectionProxyDictionary?["HTTPSProxy"] as? String == "proxy.example")
        #expect(task.request.value(forHTTPHeaderField: "X-A") == nil)
        #expect(task.request.value(forHTTPHeaderField: "Sec-WebSocket-Protocol") == "chat")
    }

    @Test("the subprotocol the server chose is reported; an empty one is none; another one is refused with 1002")
    func subprotocol() throws {
        for (chosen, expected) in [("chat", "chat"), ("", nil)] as [(String, String?)] {
            let bench = try Bench(subprotocols: ["chat"], script: Bench.silent)
            try bench.task.opens(subprotocol: chosen)
            guard case .opened(let result) = bench.facts.all.first else {
                Issue.record("not opened")
                continue
            }
            #expect(result.subprotocol == expected)
        }
        let bench = try Bench(subprotocols: ["chat"], script: Bench.silent)
        try bench.task.opens(subprotocol: "other")
        #expect(try bench.task.cancelCodes == [1002])
        try bench.task.completes()
        try bench.expectEnd(.openingFailed(.invalidResponse))
        #expect(!bench.facts.isOpened)
    }

    @Test("a certificate the app's evaluator refuses is a failure of TLS that says so")
    func trust() throws {
        let bench = try Bench { call, task in if call == .resume { task.failsTrust() } }
        try bench.expectEnd(.openingFailed(.tls))
        #expect(bench.facts.end?.error?.message.contains("trust evaluator") == true)
    }
}
