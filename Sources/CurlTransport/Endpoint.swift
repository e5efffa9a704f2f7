#if os(Linux)
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import SteadyTransport

/// Where a request goes, taken apart for libcurl and for the request line.
struct Endpoint {
    var isSecure: Bool
    /// The name or numeric address as it stands in the URL; an IPv6 address in brackets.
    var host: String
    var port: Int
    /// Path and query: what the request asks for.
    var target: String

    init(_ request: ConnectionRequest) {
        // A `ConnectionRequest` has been checked: it parses and has a scheme and a host.
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        isSecure = parts?.scheme?.lowercased() == "wss"
        host = parts?.encodedHost ?? ""
        port = parts?.port ?? (isSecure ? 443 : 80)
        let path = parts?.percentEncodedPath ?? ""
        target = (path.isEmpty ? "/" : path) + (parts?.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    /// Host and port.
    var authority: String { "\(host):\(port)" }

    /// The value of the `Host` header: without the port a scheme implies (RFC 9110 section 7.2).
    var hostHeader: String { port == (isSecure ? 443 : 80) ? host : authority }
}
#endif
