/// Bounds on the two handshakes of RFC 6455.
public struct Timeouts: Hashable, Sendable {
    /// From the start of an attempt (before the request provider is asked) to the end of the opening handshake
    /// (RFC 6455 section 4). Beyond it the attempt is given up and counts as a failure. Default 15 s; clamped to at
    /// least 0.
    public var openingHandshake: Duration
    /// From the Close frame this side sends to the end of the connection (RFC 6455 section 7.1.1). Beyond it the
    /// transport is torn down. Default 2 s; clamped to at least 0.
    public var closingHandshake: Duration

    /// Makes timeouts; every value has the default its property documents.
    public init(openingHandshake: Duration = .seconds(15), closingHandshake: Duration = .seconds(2)) {
        self.openingHandshake = openingHandshake
        self.closingHandshake = closingHandshake
    }
}
