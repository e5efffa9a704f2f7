#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
package import ConnectionCore

/// What may go into an upgrade request or a Close frame. Messages name the rule and never repeat a secret.
package enum RequestRules {
    package static func parsed(_ text: String) throws(ConnectionError) -> URL {
        if let bad = text.unicodeScalars.first(where: { $0.value <= 0x20 || $0.value == 0x7F }) {
            throw ConnectionError(
                .invalidURL,
                "the URL holds the character U+\(hex(bad.value)); percent-encode spaces and control characters")
        }
        guard let url = URL(string: text) else {
            throw ConnectionError(.invalidURL, "the URL cannot be parsed; write it as wss://host/path")
        }
        return url
    }

    package static func checked(_ url: URL) throws(ConnectionError) -> URL {
        guard let parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true) else {
            throw ConnectionError(.invalidURL, "the URL cannot be parsed; write it as wss://host/path")
        }
        switch parts.scheme?.lowercased() {
        case "ws", "wss": break
        case "http": throw ConnectionError(.invalidURL, "the scheme is http; a WebSocket URL starts with ws://")
        case "https": throw ConnectionError(.invalidURL, "the scheme is https; a WebSocket URL starts with wss://")
        case let other?:
            throw ConnectionError(.invalidURL, "the scheme is \(other); a WebSocket URL starts with ws:// or wss://")
        case nil:
            throw ConnectionError(.invalidURL, "the URL has no scheme; a WebSocket URL starts with ws:// or wss://")
        }
        guard parts.user == nil, parts.password == nil else {
            throw ConnectionError(
                .invalidURL, "the URL holds user info; send credentials in an Authorization header instead")
        }
        guard let host = parts.host, !host.isEmpty else {
            throw ConnectionError(.invalidURL, "the URL has no host; write it as wss://host/path")
        }
        guard parts.fragment == nil else {
            throw ConnectionError(
                .invalidURL, "the URL has a fragment (#…), which RFC 6455 section 3 forbids; remove it")
        }
        if let port = parts.port, !(1...65535).contains(port) {
            throw ConnectionError(.invalidURL, "the port \(port) is not between 1 and 65535")
        }
        return url.absoluteURL
    }

    package static func check(_ header: HeaderField) throws(ConnectionError) {
        guard isToken(header.name) else {
            throw ConnectionError(
                .invalidHeader,
                "a header name is not a token (RFC 9110 section 5.6.2): letters, digits and !#$%&'*+-.^_`|~")
        }
        let name = header.name.lowercased()
        if reserved.contains(name) || name.hasPrefix("sec-websocket-") {
            throw ConnectionError(
                .invalidHeader, "the header \(header.name) belongs to the opening handshake and cannot be set")
        }
        guard header.value.unicodeScalars.allSatisfy({ $0.value == 9 || ($0.value >= 0x20 && $0.value != 0x7F) }) else {
            throw ConnectionError(
                .invalidHeader, "the value of the header \(header.name) holds a control character, such as CR or LF")
        }
    }

    package static func check(subprotocols: [String]) throws(ConnectionError) {
        for (index, name) in subprotocols.enumerated() {
            guard isToken(name) else {
                throw ConnectionError(
                    .invalidSubprotocol,
                    "subprotocol number \(index + 1) is not a token (RFC 9110 section 5.6.2): no spaces, commas or quotes"
                )
            }
            guard !subprotocols[..<index].contains(name) else {
                throw ConnectionError(.invalidSubprotocol, "the subprotocol \(name) stands twice")
            }
        }
    }

    package static func check(closeCode: CloseCode, reason: String) throws(ConnectionError) {
        guard closeCode.mayBeSent else {
            throw ConnectionError(
                .invalidCloseCode, "the close code \(closeCode) may not be sent; use 1000–1003, 1007–1014 or 3000–4999")
        }
        guard reason.utf8.count <= 123 else {
            throw ConnectionError(
                .invalidCloseReason, "the close reason has \(reason.utf8.count) bytes; at most 123 fit in a Close frame"
            )
        }
    }

    private static let reserved: Set<String> = [
        "host", "upgrade", "connection", "content-length", "transfer-encoding", "te", "trailer", "keep-alive",
        "proxy-authorization", "proxy-connection",
    ]

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
