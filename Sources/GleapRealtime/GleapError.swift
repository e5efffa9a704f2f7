/// What went wrong, in words fit to show, with a code fit to count.
///
/// No description holds a credential, a header value, a query or a text the service sent.
public struct GleapError: Error, Hashable, Sendable {
    /// The kind of error. The set is small and fixed, so that it can label a metric.
    public enum Code: String, Hashable, CaseIterable, Sendable {
        /// A value of `GleapConfiguration` cannot work.
        case invalidConfiguration
        /// A user or contact holds what cannot be sent.
        case invalidUser
        /// No connection to the service, or it broke.
        case network
        /// No whole answer came in time (`GleapConfiguration.requestTimeout`).
        case timedOut
        /// HTTP 4xx other than 429; asking again would not help.
        case refused
        /// HTTP 429.
        case tooManyRequests
        /// HTTP 5xx.
        case serviceFailure
        /// HTTP 3xx. Not followed: the request holds credentials.
        case redirected
        /// A status that HTTP does not allow here.
        case unexpectedStatus
        /// A success without a body.
        case emptyAnswer
        /// The body is no JSON object, or larger than 4 MiB.
        case malformedAnswer
        /// The answer lacks a field, or the field cannot be used.
        case missingField
        /// The service answered with `error` or `errors`.
        case rejected
        /// The stored identity cannot be read, written or removed.
        case storage
    }

    /// The kind of error.
    public var code: Code
    /// What is wrong and what to do about it.
    public var message: String
    /// The HTTP status, if there was an answer.
    public var status: Int?
    /// What the layer below said, if anything, already free of secrets.
    public var underlying: String?

    /// Makes an error.
    public init(_ code: Code, _ message: String, status: Int? = nil, underlying: String? = nil) {
        self.code = code
        self.message = message
        self.status = status
        self.underlying = underlying
    }

    /// Whether the same request may succeed later.
    var isTransient: Bool {
        switch code {
        case .network, .timedOut, .tooManyRequests, .serviceFailure, .emptyAnswer, .malformedAnswer: true
        case .invalidConfiguration, .invalidUser, .refused, .redirected, .unexpectedStatus, .missingField, .rejected,
            .storage:
            false
        }
    }
}

extension GleapError: CustomStringConvertible {
    /// Code, message and the word of the layer below.
    public var description: String {
        underlying.map { "\(code.rawValue): \(message) (\($0))" } ?? "\(code.rawValue): \(message)"
    }
}
