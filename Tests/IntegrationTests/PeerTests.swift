import Foundation
import PeerSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The peers that other tests trust: they start, report, obey and end.
@Suite struct PeerTests {
    @Test func reportsARefusedHandshakeWithItsPathAndHeadersButNoSecrets() async throws {
        let peer = try await Peer()
        var request = URLRequest(
            url: try #require(URL(string: "http://127.0.0.1:\(peer.port)/status/503?retry-after=7")))
        for (name, value) in [
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Authorization": "Bearer secret", "X-App": "steady",
        ] {
            request.setValue(value, forHTTPHeaderField: name)
        }
        let (_, response) = try await URLSession.shared.data(for: request)
        let answer = try #require(response as? HTTPURLResponse)
        #expect(answer.statusCode == 503)
        #expect(answer.value(forHTTPHeaderField: "Retry-After") == "7")

        let refused = try await peer.next("the refusal") { $0.event == .refused }
        #expect(refused.path == "/status/503?retry-after=7")
        #expect(refused.status == 503)
        #expect(refused.headers?["x-app"] == "steady")
        #expect(refused.headers?["authorization"] == "(not shown)")
    }

    @Test func stopsAndStartsListeningOnTheSamePort() async throws {
        let peer = try await Peer()
        let url = try #require(URL(string: "http://127.0.0.1:\(peer.port)/status/404"))
        try await peer.perform(.stopListening)
        await #expect(throws: (any Error).self) { try await URLSession.shared.data(from: url) }
        try await peer.perform(.startListening)
        let (_, response) = try await URLSession.shared.data(from: url)
        #expect((response as? HTTPURLResponse) != nil)
    }

    @Test func waitingInVainSaysWhatWasSeen() async throws {
        let peer = try await Peer()
        let error = await #expect(throws: PeerError.self) {
            try await peer.next("a socket", within: .milliseconds(1)) { $0.event == .open }
        }
        #expect(error?.description.contains("waited for a socket") == true)
        #expect(error?.description.contains("ready") == true)
    }

    @Test func waitingForAPeerThatEndsFails() async throws {
        let peer = try await Peer()
        peer.stop()
        let error = await #expect(throws: PeerError.self) { try await peer.nextOpen() }
        #expect(error?.description.contains("it ended") == true)
    }

    @Test func anOptionItDoesNotKnowIsAnErrorNotAHang() async throws {
        await #expect(throws: PeerError.self) { try await Peer(options: ["--no-such-option"]) }
    }

    @Test func listensForTLSWithACertificateOfTheTestsOwnAuthority() async throws {
        let certificates = try TestCertificates()
        for (certificate, verdict) in [
            (certificates.valid, "HTTP 404"),
            (certificates.wrongHost, "no alternative certificate subject name matches"),
            (certificates.expired, "certificate has expired"),
        ] {
            let peer = try await Peer(certificate: certificate)
            let url = try peer.secureURL("/status/404").replacingOccurrences(of: "wss:", with: "https:")
            let said = try run("curl", ["-sS", "--cacert", certificates.authority, "-w", "HTTP %{http_code}", url])
            #expect(said.output.contains(verdict), "\(said.output)")
        }
    }

    @Test func theProxiesReportEveryUse() async throws {
        let peer = try await Peer()
        let proxy = try await PeerProxy(credentials: (user: "u", password: "p"))
        let target = "http://127.0.0.1:\(peer.port)/status/404"
        let refused = try run("curl", ["-s", "-p", "-x", "http://127.0.0.1:\(proxy.httpPort)", target])
        #expect(refused.status != 0)
        #expect(try await proxy.nextUse().status == 407)
        let allowed = try run("curl", ["-s", "-x", "socks5h://u:p@localhost:\(proxy.socksPort)", target])
        #expect(allowed.status == 0)
        let use = try await proxy.nextUse()
        #expect(use.kind == "socks5" && use.user == "u" && use.status == 0)
        #expect(use.target == "127.0.0.1:\(peer.port)")
    }

    @Test func theWatchdogEndsWhatHangs() async throws {
        await #expect(throws: PeerError.self) {
            try await withWatchdog("a stream that never yields", within: .milliseconds(1)) {
                for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: .seconds(3600)) }) {}
            }
        }
        #expect(try await withWatchdog("a value") { 1 } == 1)
    }
}

private func run(_ command: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [command] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said, as: UTF8.self))
}
