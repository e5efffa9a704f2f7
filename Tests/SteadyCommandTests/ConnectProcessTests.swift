import Foundation
import PeerSupport
import Testing

@testable import steady

/// The program itself against a server that is not ours and reports what it saw.
@Suite struct ConnectProcessTests {
    @Test func linesGoOutAndMessagesComeInAndTheEndOfTheInputClosesWith1000() async throws {
        let peer = try await Peer(options: ["--report-messages"])
        let steady = try ConnectProcess(
            [
                "-H", "X-App: steady", "-H", "Authorization: Bearer hush", "-s", "v2", "-s", "v1",
                peer.url("/?token=hush"),
            ])
        let open = try await peer.nextOpen()
        #expect(open.headers?["x-app"] == "steady" && open.headers?["authorization"] == "(not shown)")
        #expect(open.subprotocol == "v2" && open.extensions == ["permessage-deflate"])
        try await steady.lines.next(.standardError, with: "open #1 (subprotocol v2")
        try steady.type("one\n")
        try await steady.lines.next(.standardOutput, with: "one")
        try steady.endInput()
        #expect(try await steady.code() == .success)
        let closed = try await peer.nextClosed(open.id)
        #expect(closed.code == 1000 && closed.first == "client")
        let printed = steady.lines.all.map(\.text)
        #expect(!printed.contains { $0.contains("hush") || $0.contains("without line feed)") })
        #expect(printed.last == "idle")
    }

    @Test func everythingIsSentBeforeTheClose() async throws {
        let peer = try await Peer(options: ["--report-messages"])
        let steady = try ConnectProcess([peer.url("/sink")])
        let numbers = (1...2000).map(String.init)
        try steady.type(numbers.joined(separator: "\n") + "\nzwei \u{1F600}\nlast without line feed")
        try steady.endInput()
        #expect(try await steady.code() == .success)
        #expect(try await peer.nextClosed().code == 1000)
        let texts = peer.records.filter { $0.event == .message }.map(\.text)
        #expect(texts == numbers + ["zwei \u{1F600}", "last without line feed"])
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func aSignalClosesWith1001(_ signal: Int32) async throws {
        let peer = try await Peer()
        let steady = try ConnectProcess([peer.url("/")])
        try await steady.lines.next(with: "open #1")
        steady.signal(signal)
        #expect(try await steady.code() == .success)
        let closed = try await peer.nextClosed()
        #expect(closed.code == 1001 && closed.reason == "exiting")
    }

    @Test func backgroundClosesWith1001AndForegroundOpensAgain() async throws {
        let peer = try await Peer(options: ["--report-messages"])
        let steady = try ConnectProcess(["--grace", "100ms", peer.url("/")])
        try await steady.lines.next(with: "open #1")
        steady.signal(SIGUSR1)
        try await steady.lines.next(.standardError, with: "app: background")
        let closed = try await peer.nextClosed()
        #expect(closed.code == 1001 && closed.reason == "background")
        try await steady.lines.next(.standardError, with: "held: background")
        // What is typed meanwhile waits.
        try steady.type("typed in the background\n")
        steady.signal(SIGUSR2)
        try await steady.lines.next(.standardError, with: "app: foreground")
        try await steady.lines.next(.standardOutput, with: "typed in the background")
        try steady.endInput()
        #expect(try await steady.code() == .success)
        #expect(try await peer.nextClosed().code == 1000)
    }

    @Test func theSessionOutlivesTheServer() async throws {
        let peer = try await Peer(options: ["--report-messages"])
        let steady = try ConnectProcess([peer.url("/")])
        try await steady.lines.next(with: "open #1")
        try steady.type("before\n")
        try await steady.lines.next(.standardOutput, with: "before")
        try await peer.perform(.stopListening)
        try await peer.perform(.dropAll)
        try await steady.lines.next(.standardError, with: "closed #1: connection lost (1006)")
        try await steady.lines.next(.standardError, with: "s: connection lost (1006), failure 1")
        try steady.type("meanwhile\n")
        try await peer.perform(.startListening)
        try await steady.lines.next(.standardError, with: "after a gap of")
        try await steady.lines.next(.standardOutput, with: "meanwhile")
        try steady.type("after\n")
        try await steady.lines.next(.standardOutput, with: "after")
        try steady.endInput()
        #expect(try await steady.code() == .success)
        #expect(peer.records.filter { $0.event == .message }.map(\.text) == ["before", "meanwhile", "after"])
    }

    @Test func theReasonOfARestartIsShown() async throws {
        let peer = try await Peer()
        let steady = try ConnectProcess([peer.url("/close/1012?reason=deploy")])
        try await steady.lines.next(.standardError, with: #"closed #1: peer closed with 1012 "deploy""#)
        try await steady.lines.next(.standardError, with: "s: server said 1012")
        steady.signal(SIGTERM)
        #expect(try await steady.code() == .success)
    }

    @Test func everyLineOfJSONParsesAndEveryKindHasItsKeys() async throws {
        let peer = try await Peer()
        let steady = try ConnectProcess(
            ["--json", "--decisions", "--max-message", "16", "--grace", "0", peer.url("/hello?text=hi%22&token=hush")])
        try await steady.lines.next(with: #""kind":"message""#)
        try steady.type("x\nthis line is too long\n")
        try await steady.lines.next(with: #""line":2"#)
        steady.signal(SIGUSR1)
        try await steady.lines.next(with: #""state":"held""#)
        steady.signal(SIGTERM)
        #expect(try await steady.code() == .failure)
        #expect(steady.lines(on: .standardError) == [])
        let objects = try steady.lines(on: .standardOutput).map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
        for object in objects {
            let kind = try #require(object["kind"] as? String)
            let keys = [
                "status": ["state", "text"], "message": ["bytes", "text"], "sent": ["line", "bytes"],
                "closed": ["attempt", "why", "code"], "app": ["state"], "error": ["message", "line"],
                "decision": ["seconds", "text"],
            ][kind]
            for key in try #require(keys, "\(kind)") + ["at"] { #expect(object[key] != nil, "\(object)") }
        }
        #expect(Set(objects.compactMap { $0["kind"] as? String }).count == 7)
        #expect(objects.contains { $0["kind"] as? String == "message" && $0["text"] as? String == "hi\"" })
        #expect(!steady.lines.all.contains { $0.text.contains("hush") })
    }

    @Test func lingerWaitsForAnswers() async throws {
        let peer = try await Peer()
        let steady = try ConnectProcess(["--linger", "2s", peer.url("/big/40")])
        try steady.endInput()
        #expect(try await steady.code() == .success)
        let expected = [String(repeating: "x", count: 40), "binary, 40 bytes: \(String(repeating: "79", count: 32))…"]
        #expect(steady.lines(on: .standardOutput) == expected)
    }

    @Test func aReaderThatLeavesClosesWith1000() async throws {
        let peer = try await Peer()
        let steady = try ConnectProcess([peer.url("/hello")], readsOutput: false)
        #expect(try await steady.code() == .success)
        #expect(try await peer.nextClosed().code == 1000)
    }

    @Test func wssTrustsTheCAFileAndNothingElse() async throws {
        let certificates = try TestCertificates()
        let peer = try await Peer(certificate: certificates.valid)
        let trusting = try ConnectProcess(["--ca-file", certificates.authority, try peer.secureURL("/")])
        try trusting.type("secret channel\n")
        try await trusting.lines.next(.standardOutput, with: "secret channel")
        #expect(try await peer.nextOpen().secure == true)
        try trusting.endInput()
        #expect(try await trusting.code() == .success)
        let strict = try ConnectProcess(["--once", try peer.secureURL("/")])
        #expect(try await strict.code() == .unavailable)
        try await strict.lines.next(.standardError, with: "opening failed: TLS")
    }

    @Test func theProxyIsUsed() async throws {
        let peer = try await Peer()
        let proxy = try await PeerProxy()
        let steady = try ConnectProcess(["--proxy", "socks5h://127.0.0.1:\(proxy.socksPort)", peer.url("/")])
        try steady.type("through\n")
        try await steady.lines.next(.standardOutput, with: "through")
        #expect(try await proxy.nextUse().kind == "socks5")
        try steady.endInput()
        #expect(try await steady.code() == .success)
    }

    @Test func withoutCompressionNoExtensionIsOffered() async throws {
        let peer = try await Peer()
        let steady = try ConnectProcess(["--no-compress", peer.url("/")])
        try steady.endInput()
        #expect(try await peer.nextOpen().extensions == [])
        #expect(try await steady.code() == .success)
    }

    @Test(arguments: [
        ("/status/503?retry-after=7", "Retry-After 7 s"), ("/status/404", "HTTP 404"),
        ("/close/4001?reason=banned", #"peer closed with 4001 "banned""#),
    ])
    func onceEndsWith69AndSaysWhy(_ path: String, _ why: String) async throws {
        let peer = try await Peer()
        let steady = try ConnectProcess(["--once", peer.url(path)])
        #expect(try await steady.code() == .unavailable)
        try await steady.lines.next(.standardError, with: why)
    }

    @Test(arguments: [
        (["http://localhost/?hush"], "the scheme is http"),
        (["--header", "hush", "ws://localhost/"], "--header number 1 has no colon"),
        (["--subprotocol", "a,b", "ws://localhost/?hush"], "subprotocol number 1"),
        (["ws://localhost/", "--no-such-option"], "unknown option"),
    ])
    func aWrongCommandLineEndsWith64(_ arguments: [String], _ named: String) async throws {
        let steady = try ConnectProcess(arguments)
        #expect(try await steady.code() == .usage)
        #expect(steady.lines(on: .standardOutput) == [])
        let said = steady.lines(on: .standardError).joined(separator: "\n")
        #expect(said.contains(named) && said.contains("steady connect --help"))
        #expect(!said.contains("hush"))
    }
}
