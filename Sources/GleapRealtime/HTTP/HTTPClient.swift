#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Makes HTTP calls for a session. Any thread.
public protocol HTTPClient: Sendable {
    /// Starts a call. `completion` is called once, on any thread; after a cancellation it may also not be called.
    ///
    /// An implementation must not follow redirects: the headers are credentials.
    ///
    /// - Returns: what cancels the call; harmless once it is over.
    func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPAnswer, GleapError>) -> Void
    ) -> @Sendable () -> Void
}

/// A `POST` with a JSON body.
public struct HTTPRequest: Hashable, Sendable {
    /// Where to.
    public var url: URL
    /// The header fields. Their values are secrets.
    public var headers: [String: String]
    /// The JSON text.
    public var body: Data
    /// How long the call may take; the session itself gives it up then.
    public var timeout: Duration

    /// Makes a request.
    public init(url: URL, headers: [String: String], body: Data, timeout: Duration) {
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// The path, and the names of the headers.
    public var description: String { "POST \(url.path) [\(headers.keys.sorted().joined(separator: ", "))]" }
    /// No more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

/// What came back, whatever the status.
public struct HTTPAnswer: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// The value of `Retry-After`, nil if absent.
    public var retryAfter: String?
    /// The value of `Date`, nil if absent.
    public var date: String?
    /// The body.
    public var body: Data

    /// Makes an answer.
    public init(status: Int, retryAfter: String? = nil, date: String? = nil, body: Data = Data()) {
        self.status = status
        self.retryAfter = retryAfter
        self.date = date
        self.body = body
    }
}

extension HTTPAnswer: CustomStringConvertible, CustomReflectable {
    /// The status, and how long the body is.
    public var description: String { "HTTP \(status), \(body.count) bytes" }
    /// No more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
}
