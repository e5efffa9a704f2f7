/// How much a connection did since it was made.
public struct ConnectionCounts: Hashable, Sendable {
    /// Sockets that opened.
    public internal(set) var opened = 0
    /// Sockets that ended, and attempts that failed.
    public internal(set) var ended = 0
}
