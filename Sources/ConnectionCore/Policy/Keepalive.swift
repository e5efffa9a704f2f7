/// Pings that find out whether an open socket still has a peer (the terms are those of gRPC's keepalive).
public struct Keepalive: Hashable, Sendable {
    /// From the opening, and from each ping, to the next ping. Default 40 s; nil sends none. Clamped to at least 1 s.
    public var time: Duration?
    /// From a ping to the moment the socket is given up, unless any frame arrives. Default 10 s. Clamped to at least 0.
    public var timeout: Duration
    /// The same for the ping after a suspension, a return to the foreground or a path change. Default 4 s. Clamped to at
    /// least 0.
    public var probeTimeout: Duration

    /// Makes a keepalive; every value has the default its property documents.
    public init(
        time: Duration? = .seconds(40), timeout: Duration = .seconds(10), probeTimeout: Duration = .seconds(4)
    ) {
        self.time = time
        self.timeout = timeout
        self.probeTimeout = probeTimeout
    }
}
