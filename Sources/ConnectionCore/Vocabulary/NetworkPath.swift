/// What is known about the way to the network.
public enum NetworkPath: Hashable, Sendable {
    /// Nobody has looked yet. Attempts are allowed.
    case unknown
    /// There is no route out. No attempt is made; an open socket is left to its keepalive.
    case offline
    /// There is a route. Two paths with different fingerprints differ in interfaces or gateways.
    case online(fingerprint: UInt64)
}
