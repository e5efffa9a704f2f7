/// What went wrong, in words fit to show, with a code fit to count.
///
/// No description holds a query string, a header value or other secrets of the request.
public struct ConnectionError: Error, Sendable {
    /// The kind of error. The set is small and fixed, so that it can label a metric.
    public enum Code: String, Hashable, CaseIterable, Sendable {
        /// The URL is malformed or of a kind a WebSocket cannot have (RFC 6455 section 3).
        case invalidURL
        /// A header name or value is malformed, or the header belongs to the handshake itself.
        case invalidHeader
        /// A subprotocol is not a token, or stands twice (RFC 6455 section 4.1).
        case invalidSubprotocol
        /// The code may not be sent in a Close frame (RFC 6455 section 7.4).
        case invalidCloseCode
        /// The close reason is longer than 123 bytes (RFC 6455 section 5.5).
        case invalidCloseReason
        /// An option of the library or of the transport has a value that cannot work.
        case invalidOption
        /// There is no open socket.
        case notOpen
        /// The queue of outgoing messages is full.
        case queueFull
        /// The message is larger than the limit.
        case messageTooBig
        /// The socket closed before the message was handed to the network.
        case closed
        /// The time allowed ran out.
        case timedOut
        /// The task that waited was cancelled.
        case cancelled
        /// The host name could not be resolved.
        case nameResolution
        /// No connection to the host.
        case connect
        /// TLS failed; the message says why.
        case tls
        /// The proxy refused or could not be reached.
        case proxy
        /// The server refused the upgrade.
        case refused
        /// The server broke the protocol.
        case protocolViolation
        /// The connection ended without a Close frame.
        case connectionLost
        /// The app's request provider failed.
        case requestUnavailable
    }

    /// The kind of error.
    public var code: Code
    /// What is wrong and what to do about it.
    public var message: String
    /// What the layer below said, if anything, already free of secrets.
    public var underlying: String?

    /// Makes an error.
    public init(_ code: Code, _ message: String, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }
}

extension ConnectionError: Equatable {
    /// Errors are equal when code and message are; what the layer below said is detail.
    public static func == (left: ConnectionError, right: ConnectionError) -> Bool {
        left.code == right.code && left.message == right.message
    }
}

extension ConnectionError: CustomStringConvertible {
    /// Code, message and the word of the layer below.
    public var description: String {
        underlying.map { "\(code.rawValue): \(message) (\($0))" } ?? "\(code.rawValue): \(message)"
    }
}
