import CurlTransport
import Dispatch
import PeerSupport
import SteadySocket
import SteadySocketTestKit
import Testing

/// What a server of another make sees of every way in which this side ends a socket.
@Suite struct DeliberateCloseTests {
    @Test("start then identify opens one socket carrying the last credentials, on a real socket")
    func startThenIdentify() async throws {
        let peer = try await Peer()
        let client = Client()
        client.socket.connect(to: try Channel(peer.url("/echo?user=anonymous")))
        client.socket.connect(to: try Channel(peer.url("/echo?user=mary&hash=1")))
        let open = try await peer.nextOpen()
        #expect(open.path == "/echo?user=mary&hash=1")
        // The same channel in another order keeps the socket; the message proves that it still works.
        client.socket.connect(to: try Channel(peer.url("/echo?hash=1&user=mary")))
        try await client.socket.send(.text("hello"), whenOpen: .seconds(30))
        var messages = client.socket.messages.makeAsyncIterator()
        #expect(await messages.next() == .text("hello"))
        client.socket.disconnect()
        _ = try await peer.nextClosed()
        #expect(peer.records.count { $0.event == .open } == 1)
    }

    @Test("replaced, disconnected and released: 1000; shut down: 1001; each with its reason")
    func codes() async throws {
        let peer = try await Peer()
        var client: Client? = Client()
        func open(_ path: String) async throws {
            client?.socket.connect(to: try Channel(peer.url(path)))
            _ = try await peer.nextOpen(path)
        }
        try await open("/echo?1")
        try await open("/echo?2")
        let replaced = try await peer.nextClosed()
        client?.socket.disconnect()
        let disconnected = try await peer.nextClosed()
        try await open("/echo?3")
        client?.socket.shutDown()
        let exiting = try await peer.nextClosed()
        try await open("/echo?4")
        client = nil
        let released = try await peer.nextClosed()
        let ends = [replaced, disconnected, exiting, released]
        #expect(ends.map(\.code) == [1000, 1000, 1001, 1000])
        #expect(ends.map(\.reason) == ["replaced", "disconnected", "exiting", "released"])
        #expect(ends.allSatisfy { $0.first == "client" })
    }

    @Test("stayed in the background past the grace: 1001; nothing opens until the foreground")
    func background() async throws {
        let peer = try await Peer()
        let lifecycle = ManualLifecycle()
        var configuration = Configuration.quick
        configuration.backgroundGrace = .milliseconds(50)
        let client = Client(configuration) { $0.lifecycle = .custom(lifecycle) }
        client.socket.connect(to: try Channel(peer.url("/echo")))
        _ = try await peer.nextOpen()
        lifecycle.state = .background
        let closed = try await peer.nextClosed()
        #expect(closed.code == 1001)
        #expect(closed.reason == "background")
        client.socket.connect(to: try Channel(peer.url("/echo?other")))
        try await client.until { $0 == .held(.background) }
        lifecycle.state = .foreground
        #expect(try await peer.nextOpen().path == "/echo?other")
        #expect(peer.records.count { $0.event == .open } == 2)
    }

    @Test("a disconnect in the middle of the opening handshake still ends with 1000")
    func duringOpening() async throws {
        let peer = try await Peer()
        let client = Client()
        client.socket.connect(to: try Channel(peer.url("/slow?s=0.3")))
        _ = try await peer.next("the request") { $0.event == .requested }
        client.socket.disconnect()
        let closed = try await peer.nextClosed()
        #expect(closed.code == 1000)
    }

    @Test("200 sockets closing at once: the server sees 1000 from every one")
    func manyAtOnce() async throws {
        let peer = try await Peer()
        let transport = CurlTransport()
        var clients: [Client] = []
        for _ in 0..<200 { clients.append(Client { $0.transport = transport }) }
        for client in clients { client.socket.connect(to: try Channel(peer.url("/echo"))) }
        for _ in clients { _ = try await peer.nextOpen() }
        for client in clients { client.socket.disconnect() }
        var codes: [Int: Int] = [:]
        for _ in clients { codes[try await peer.nextClosed().code ?? 0, default: 0] += 1 }
        #expect(codes == [1000: 200])
    }
}

extension Configuration {
    /// The standard rules with short waits, for tests that wait for events in real time.
    static var quick: Configuration {
        var configuration = Configuration.standard
        configuration.askQuietWindow = .milliseconds(30)
        configuration.foregroundDebounce = .milliseconds(10)
        configuration.backoff.initial = .milliseconds(50)
        configuration.retryRules.closeCodes[.goingAway] = .init(.wait(.milliseconds(20)...(.milliseconds(50))))
        configuration.retryRules.closeCodes[.serviceRestart] = .init(.wait(.milliseconds(20)...(.milliseconds(50))))
        return configuration
    }
}

/// A connection on a queue of its own over the Linux transport.
struct Client {
    let socket: SteadySocket

    init(_ configuration: Configuration = .quick, change: (inout Options) -> Void = { _ in }) {
        var options = Options()
        options.queue = DispatchQueue(label: "client")
        options.networkPath = .ignored
        change(&options)
        socket = SteadySocket(configuration: configuration, options: options)
    }

    /// Waits until the status is as wanted.
    func until(_ condition: @escaping @Sendable (ConnectionStatus) -> Bool) async throws {
        let statuses = socket.statuses
        try await withWatchdog("the status") {
            for await status in statuses where condition(status) { return }
        }
    }
}
