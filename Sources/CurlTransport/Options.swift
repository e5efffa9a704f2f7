#if os(Linux)
import Glibc
import SteadyTransport

extension CurlTransport {
    /// How connections are made.
    public struct Options: Hashable, Sendable {
        /// A file of certificate authorities in PEM to trust instead of the system's; nil, the default, for the system's.
        public var caFile: String?
        /// The proxy: `http://user:password@host:port`, `https://…`, `socks4://…`, `socks4a://…`, `socks5://…` or
        /// `socks5h://…`, whose proxy looks the name up. Nil, the default, for what the environment says (`http_proxy`
        /// for ws, `https_proxy` for wss, `all_proxy`, `no_proxy`); empty for none, whatever the environment says.
        public var proxy: String?
        /// Whether to offer permessage-deflate (RFC 7692). Default true.
        public var permessageDeflate: Bool
        /// Numeric addresses to use for a host instead of looking its name up; certificates are still checked against the
        /// name. Hosts are written in lower case. Default none.
        public var addresses: [String: String]

        /// Makes options; every one has the default its property documents. `CurlTransport.init` checks them.
        public init(
            caFile: String? = nil, proxy: String? = nil, permessageDeflate: Bool = true,
            addresses: [String: String] = [:]
        ) {
            self.caFile = caFile
            self.proxy = proxy
            self.permessageDeflate = permessageDeflate
            self.addresses = addresses
        }

        func check() throws(ConnectionError) {
            if let caFile { try Self.check(caFile: caFile) }
            if let proxy, !proxy.isEmpty { try Self.check(proxy: proxy) }
            for (host, address) in addresses { try Self.check(address: address, of: host) }
        }

        private static func check(caFile: String) throws(ConnectionError) {
            guard let file = fopen(caFile, "re") else {
                throw ConnectionError(
                    .invalidOption, "the CA file \(caFile) cannot be read; give a file of PEM certificates",
                    underlying: String(cString: strerror(errno)))
            }
            defer { fclose(file) }
            var line: UnsafeMutablePointer<CChar>?
            var capacity = 0
            defer { Glibc.free(line) }
            while getline(&line, &capacity, file) >= 0 {
                if strstr(line!, "-----BEGIN CERTIFICATE-----") != nil
                    || strstr(line!, "-----BEGIN TRUSTED CERTIFICATE-----") != nil
                {
                    return
                }
            }
            throw ConnectionError(
                .invalidOption, "the CA file \(caFile) holds no certificate; give a file of PEM certificates")
        }

        /// The text may hold a password, so no message repeats it.
        private static func check(proxy: String) throws(ConnectionError) {
            let form = "write it as http://host:port or socks5://host:port"
            guard proxy.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
                throw ConnectionError(.invalidOption, "the proxy holds a space or a control character; \(form)")
            }
            var rest = proxy[...]
            if let mark = proxy.firstRange(of: "://") {
                let scheme = proxy[..<mark.lowerBound].lowercased()
                guard ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme) else {
                    throw ConnectionError(
                        .invalidOption, "the scheme of the proxy is not one of a proxy's; \(form)")
                }
                rest = proxy[mark.upperBound...]
            }
            let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
            let (host, port) = split(place)
            guard !host.isEmpty else { throw ConnectionError(.invalidOption, "the proxy has no host; \(form)") }
            if let port, Int(port).map((1...65535).contains) != true {
                throw ConnectionError(.invalidOption, "the port of the proxy is not between 1 and 65535; \(form)")
            }
        }

        private static func split(_ place: Substring) -> (host: Substring, port: Substring?) {
            if place.first == "[" {
                guard let end = place.firstIndex(of: "]") else { return ("", nil) }
                let rest = place[place.index(after: end)...]
                return (place[...end], rest.isEmpty ? nil : rest.dropFirst())
            }
            guard let colon = place.lastIndex(of: ":") else { return (place, nil) }
            return (place[..<colon], place[place.index(after: colon)...])
        }

        private static func check(address: String, of host: String) throws(ConnectionError) {
            var storage = in6_addr()
            guard inet_pton(AF_INET, address, &storage) == 1 || inet_pton(AF_INET6, address, &storage) == 1 else {
                throw ConnectionError(
                    .invalidOption,
                    "the address given for \(host) is not numeric; write it as 192.0.2.1 or 2001:db8::1")
            }
        }
    }
}

extension CurlTransport.Options: CustomStringConvertible, CustomReflectable {
    /// The options without the text of the proxy, which may hold a password.
    public var description: String {
        children.map { "\($0): \($1)" }.joined(separator: ", ")
    }

    /// What the description shows, so that `dump` and debuggers do not show more.
    public var customMirror: Mirror { Mirror(self, children: children) }

    private var children: KeyValuePairs<String, Any> {
        [
            "caFile": caFile ?? "the system's", "proxy": proxy.map { $0.isEmpty ? "none" : "…" } ?? "the environment's",
            "permessageDeflate": permessageDeflate, "addresses": addresses,
        ]
    }
}
#endif
