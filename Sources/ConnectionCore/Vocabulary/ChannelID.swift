/// What makes two channels the same: the normalised URL and the identity.
///
/// Scheme, host case, default port, percent-encoding and the order of query items do not matter; everything else does.
/// A value holds the query, so it never prints it.
public struct ChannelID: Hashable, Sendable {
    /// Scheme, host and port; a server's demand to wait holds for every channel of its origin.
    public var origin: String { parts.origin }
    /// Whether the host is elsewhere, so that it needs a route. False for `localhost`, `127.0.0.0/8` and `::1`.
    public var needsNetwork: Bool { parts.needsNetwork }
    /// Shared by the copies: the machine's states hold and compare channels at every event.
    private let parts: Parts

    private final class Parts: Hashable, Sendable {
        let origin: String
        let needsNetwork: Bool
        let key: String

        init(origin: String, needsNetwork: Bool, key: String) {
            self.origin = origin
            self.needsNetwork = needsNetwork
            self.key = key
        }

        static func == (left: Parts, right: Parts) -> Bool {
            left === right || (left.key == right.key && left.origin == right.origin)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(origin)
            hasher.combine(key)
        }
    }

    /// Normalises the parts of a URL (RFC 3986 section 6.2.2) together with an identity.
    ///
    /// - Parameters:
    ///   - scheme: `ws` or `wss`, in any case.
    ///   - host: a name or address, in any case; an IPv6 address with or without brackets.
    ///   - port: nil means the default of the scheme: 80 for `ws`, 443 for `wss`.
    ///   - percentEncodedPath: empty means `/`.
    ///   - percentEncodedQuery: its items are compared as a multiset; nil and empty are the same.
    ///   - identity: who the channel is for, if the URL does not say; empty if it does.
    public init(
        scheme: String, host: String, port: Int?, percentEncodedPath: String = "/", percentEncodedQuery: String? = nil,
        identity: String = ""
    ) {
        let scheme = scheme.lowercased()
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        let host = bare.lowercased()
        let port = port ?? (scheme == "wss" ? 443 : 80)
        let origin = host.contains(":") ? "\(scheme)://[\(host)]:\(port)" : "\(scheme)://\(host):\(port)"
        let path = percentEncodedPath.isEmpty ? "/" : Self.normalisedEncoding(percentEncodedPath)
        let items = (percentEncodedQuery ?? "").utf8.split(separator: UInt8(ascii: "&"))
            .map { Self.normalisedEncoding(String(decoding: $0, as: UTF8.self)) }
            .sorted()
        parts = Parts(
            origin: origin, needsNetwork: !Self.isLoopback(host),
            key: "\(path)?\(items.joined(separator: "&"))#\(identity)")
    }

    /// A channel that is known by its identity alone, because its URL is made anew for each attempt.
    public init(identity: String) {
        parts = Parts(origin: "", needsNetwork: true, key: "#\(identity)")
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Decodes what needs no encoding and writes the rest with capital digits.
    private static func normalisedEncoding(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var output: [UInt8] = []
        let input = Array(text.utf8)
        var index = 0
        while index < input.count {
            let byte = input[index]
            if byte == UInt8(ascii: "%"), index + 2 < input.count,
                let value = UInt8(String(decoding: input[index + 1...index + 2], as: UTF8.self), radix: 16)
            {
                if isUnreserved(value) {
                    output.append(value)
                } else {
                    output.append(byte)
                    output += input[index + 1...index + 2].map { $0 >= UInt8(ascii: "a") ? $0 - 32 : $0 }
                }
                index += 3
            } else {
                output.append(byte)
                index += 1
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// RFC 3986 section 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension ChannelID: CustomStringConvertible {
    /// The origin only: path and query may hold secrets.
    public var description: String { origin.isEmpty ? "channel with a request provider" : origin }
}

extension ChannelID: CustomReflectable {
    /// The origin only, so that `dump` and debuggers do not show more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["origin": origin]) }
}
