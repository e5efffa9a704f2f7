#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One header field of the upgrade request.
public struct HeaderField: Hashable, Sendable {
    /// The name; compared without regard to case.
    public var name: String
    /// The value.
    public var value: String

    /// Makes a field; `ConnectionRequest` checks it.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension HeaderField: CustomStringConvertible {
    /// The name; the value may be a secret.
    public var description: String { "\(name): …" }
}

extension HeaderField: CustomReflectable {
    /// The name only, so that `dump` and debuggers do not show more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// What one attempt sends to open a WebSocket. A value of this type has been checked.
public struct ConnectionRequest: Hashable, Sendable {
    /// A `ws` or `wss` URL with a host, without user info or fragment.
    public let url: URL
    /// Additional header fields, in order.
    public let headers: [HeaderField]
    /// The subprotocols offered, most wanted first.
    public let subprotocols: [String]

    /// Checks and makes a request.
    ///
    /// - Throws: `ConnectionError` with `.invalidURL`, `.invalidHeader` or `.invalidSubprotocol`.
    public init(
        _ url: URL, headers: [HeaderField] = [], subprotocols: [String] = []
    ) throws(ConnectionError) {
        self.url = try RequestRules.checked(url)
        for header in headers { try RequestRules.check(header) }
        try RequestRules.check(subprotocols: subprotocols)
        self.headers = headers
        self.subprotocols = subprotocols
    }

    /// Parses, checks and makes a request.
    ///
    /// - Throws: `ConnectionError` with `.invalidURL`, `.invalidHeader` or `.invalidSubprotocol`.
    public init(
        _ url: String, headers: [HeaderField] = [], subprotocols: [String] = []
    ) throws(ConnectionError) {
        try self.init(RequestRules.parsed(url), headers: headers, subprotocols: subprotocols)
    }

    /// The URL without its query, fit for a log.
    public var redactedURL: String {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        let hadQuery = components?.percentEncodedQuery != nil
        components?.percentEncodedQuery = nil
        return (components?.string ?? "(unreadable URL)") + (hadQuery ? "?…" : "")
    }
}

extension ConnectionRequest: CustomStringConvertible {
    /// The redacted URL and the names, not the values, of the headers.
    public var description: String {
        headers.isEmpty ? redactedURL : "\(redactedURL) [\(headers.map(\.name).joined(separator: ", "))]"
    }
}

extension ConnectionRequest: CustomReflectable {
    /// What the description shows, so that `dump` and debuggers do not show more.
    public var customMirror: Mirror {
        Mirror(self, children: ["url": redactedURL, "headers": headers.map(\.name), "subprotocols": subprotocols])
    }
}
