package import ConnectionLedger

/// What is fixed for the life of a server.
package struct ServerOptions: Sendable {
    /// A numeric IPv4 or IPv6 address, or `localhost`. Default 127.0.0.1.
    package var host = "127.0.0.1"
    /// The names of the query items that go into the ledger. Everything else of a query is forgotten. Default none.
    package var queryItems: Set<String> = []
    /// The largest message accepted, in bytes. Default 16 MiB.
    package var maximumMessageBytes = 16 << 20
    /// When this many bytes wait to be written to a socket, it is not read until they are gone. Default 1 MiB.
    package var maximumQueuedBytes = 1 << 20
    /// The time for the head of a request, measured from the TCP connection. Default 10 s, then 408.
    package var headTimeout: Duration = .seconds(10)
    /// The time for the client's Close frame, measured from the server's. Default 2 s, then the connection is dropped.
    package var closingTimeout: Duration = .seconds(2)
    /// The time for the client to end TCP after the last word, measured from that. Default 1 s.
    package var lingeringTimeout: Duration = .seconds(1)
    /// Whether the first subprotocol offered is agreed to; otherwise none is. Default true.
    package var acceptsSubprotocol = true
    /// Whether the server keeps its ledger in memory for `entries`. Default true.
    package var keepsEntries = true

    package init() {}
}

/// Something that happened at the server.
package enum ServerEvent: Sendable {
    /// A socket opened.
    case opened(OpenSocket)
    /// A socket ended, or a connection did not become one.
    case recorded(LedgerEntry)
}

/// A socket that has just opened.
package struct OpenSocket: Hashable, Sendable {
    package var id: UInt64
    package var opened: WallTime
    package var path: String
    package var query: [String: String]
    package var peer: String
}

/// What the server counted since it was made.
package struct ServerCounters: Hashable, Sendable {
    /// TCP connections accepted.
    package var connections = 0
    /// Sockets opened.
    package var opened = 0
    /// Sockets that are open now.
    package var open = 0
    /// Connections that did not become a socket.
    package var refusals = 0
    /// Messages received by sockets that have ended, and by those that are open.
    package var messagesIn = 0
    /// Messages sent, likewise.
    package var messagesOut = 0
}
