import CurlTransport
import PeerSupport
import SteadySocket
import Testing

/// What an app learns when a server of another make ends the socket or refuses it.
@Suite struct ServerEndTests {
    /// The first end of a socket or attempt.
    private func firstEnd(_ client: Client, _ url: String) async throws -> TransportClose {
        let events = client.socket.events
        client.socket.connect(to: try Channel(url))
        return try await withWatchdog("the end of the socket") {
            for await event in events {
                switch event {
                case .opened: try? await client.socket.send(.text("go"))
                case .closed(_, let close): return close
                case .statusChanged: break
                }
            }
            throw CancellationError()
        }
    }

    @Test("server codes arrive intact", arguments: [1000, 1001, 1008, 1011, 1012, 1013, 3000, 4001, 4999])
    func codes(code: UInt16) async throws {
        let peer = try await Peer()
        let close = try await firstEnd(Client(), peer.url("/close/\(code)?reason=because"))
        #expect(close.reason == .closedByPeer(CloseCode(rawValue: code)))
        #expect(close.closeCode.rawValue == code)
        #expect(close.closeReason == "because")
        // The code is echoed as received, not replaced by another one.
        #expect(try await peer.nextClosed().code == Int(code))
    }

    @Test("a Close frame without a code is 1005, no Close frame at all 1006")
    func missingCodes() async throws {
        let peer = try await Peer()
        let empty = try await firstEnd(Client(), peer.url("/empty-close"))
        #expect(empty.reason == .closedByPeer(.noStatusReceived))
        for path in ["/drop", "/reset"] {
            let dropped = try await firstEnd(Client(), peer.url(path))
            #expect(dropped.reason == .connectionLost)
            #expect(dropped.closeCode == .abnormalClosure)
        }
    }

    @Test("a refused upgrade: status and Retry-After arrive, and the wait obeys them")
    func refused() async throws {
        let peer = try await Peer()
        let client = Client()
        let close = try await firstEnd(client, peer.url("/status/503?retry-after=7"))
        #expect(close.reason == .openingRefused(status: 503))
        #expect(close.retryAfter == .seconds(7))
        try await client.until { if case .waiting(.server, _, _) = $0 { true } else { false } }
        guard case .waiting(.server(let reason), let delay, _) = client.socket.status else {
            Issue.record("\(client.socket.status)")
            return
        }
        #expect(reason == .openingRefused(status: 503))
        #expect(delay > .seconds(7) && delay <= .seconds(14))
    }

    @Test("the session goes on across a server's restart")
    func restart() async throws {
        let peer = try await Peer()
        let client = Client()
        var messages = client.socket.messages.makeAsyncIterator()
        client.socket.connect(to: try Channel(peer.url("/echo")))
        try await client.socket.send(.text("before"), whenOpen: .seconds(30))
        #expect(await messages.next() == .text("before"))
        try await peer.perform(.stopListening)
        try await peer.perform(.closeAll(code: 1012, reason: "restart"))
        try await client.until { if case .waiting(.backoff, _, _) = $0 { true } else { false } }
        try await peer.perform(.startListening)
        try await client.socket.send(.text("after"), whenOpen: .seconds(30))
        #expect(await messages.next() == .text("after"))
    }

    @Test("a peer that stops answering is found out, closed with 1000 and replaced")
    func deadPeer() async throws {
        let peer = try await Peer()
        var configuration = Configuration.quick
        configuration.keepalive = Keepalive(time: .seconds(1), timeout: .milliseconds(100))
        configuration.timeouts.closingHandshake = .milliseconds(100)
        let client = Client(configuration)
        client.socket.connect(to: try Channel(peer.url("/echo")))
        _ = try await peer.nextOpen()
        try await peer.perform(.silent(true))
        try await client.until { if case .closing(_, .unresponsive) = $0 { true } else { false } }
        try await client.until { if case .waiting = $0 { true } else { false } }
        try await peer.perform(.silent(false))
        #expect(try await peer.nextClosed().code == 1000)
        _ = try await peer.nextOpen()
    }

    @Test("a certificate nobody vouches for is refused with an error that says why")
    func untrusted() async throws {
        let certificates = try TestCertificates()
        let peer = try await Peer(certificate: certificates.valid)
        let close = try await firstEnd(Client(), try peer.secureURL("/echo"))
        #expect(close.reason == .openingFailed(.tls))
        #expect(close.error?.code == .tls)
        #expect(close.error?.message.contains("certificate") == true)
    }
}
