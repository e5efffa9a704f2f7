internal import WebSocketWire

/// A client's opening handshake that may be accepted (RFC 6455 section 4.2.1).
package struct UpgradeRequest: Equatable {
    /// The path, without the query.
    package var path: String
    /// The query as received; empty if there is none. It can hold secrets: only `items(named:)` may leave the server.
    private var rawQuery: Substring
    /// The value of `Sec-WebSocket-Key`.
    private var key: String
    /// The subprotocols offered, most wanted first.
    package var subprotocols: [String]

    /// The largest head that is read.
    package static let maximumHeadBytes = 16 << 10

    /// Checks a whole head.
    package init(head bytes: some Sequence<UInt8>) throws(Refusal) {
        let head: HTTPHead
        do {
            head = try HTTPHead.parse(bytes)
        } catch {
            throw Refusal(400, error.message)
        }
        let target = try Self.target(of: head.startLine)
        guard head.count(of: "host") == 1 else { throw Refusal(400, "there is not exactly one Host") }
        guard head["transfer-encoding"] == nil, (head["content-length"] ?? "0") == "0" else {
            throw Refusal(400, "an upgrade request has no body")
        }
        guard head.list("upgrade", contains: "websocket") else {
            throw Refusal(426, "this is a WebSocket server", ["Upgrade: websocket"])
        }
        guard head.list("connection", contains: "upgrade") else { throw Refusal(400, "Connection is not Upgrade") }
        guard head.count(of: "sec-websocket-version") == 1, head["sec-websocket-version"] == "13" else {
            throw Refusal(426, "only version 13 is spoken", ["Upgrade: websocket", "Sec-WebSocket-Version: 13"])
        }
        guard head.count(of: "sec-websocket-key") == 1, let key = head["sec-websocket-key"], HandshakeKey.isValid(key)
        else { throw Refusal(400, "Sec-WebSocket-Key is not 16 bytes in base64") }
        self.key = key
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts[0])
        rawQuery = parts.count == 2 ? parts[1] : ""
        subprotocols = (head["sec-websocket-protocol"] ?? "").split(separator: ",").map { trimmed($0) }
        guard subprotocols.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isTokenByte) }) else {
            throw Refusal(400, "a subprotocol is not a token")
        }
    }

    private static func target(of requestLine: String) throws(Refusal) -> String {
        let words = requestLine.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2] == "HTTP/1.1", words[1].hasPrefix("/") else {
            throw Refusal(400, "the request line is not GET /path HTTP/1.1")
        }
        guard words[0] == "GET" else { throw Refusal(405, "the method is not GET", ["Allow: GET"]) }
        return String(words[1])
    }

    /// The query items with these names; of a repeated one the first.
    package func items(named names: Set<String>) -> [String: String] {
        guard !names.isEmpty else { return [:] }
        var items: [String: String] = [:]
        for item in rawQuery.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = decoded(parts[0])
            guard names.contains(name), items[name] == nil else { continue }
            items[name] = parts.count == 2 ? decoded(parts[1]) : ""
        }
        return items
    }

    /// Resolves `%41`; a percent sign without two hexadecimal digits behind it stays what it is.
    private func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy({ $0 != UInt8(ascii: "+") }),
                let value = UInt8(String(Substring(digits)), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The answer that accepts (RFC 6455 section 4.2.2).
    package func acceptance(subprotocol: String?) -> [UInt8] {
        var lines = [
            "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Accept: \(HandshakeKey.accept(for: key))",
        ]
        if let subprotocol { lines.append("Sec-WebSocket-Protocol: \(subprotocol)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}

/// The answer to a request that does not become a WebSocket.
package struct Refusal: Error, Hashable, Sendable {
    /// The HTTP status, 300 to 599.
    package var status: Int
    /// What is wrong, for the body of the answer. Never repeats a part of the request.
    package var explanation: String
    /// Further header lines, such as `Retry-After: 7`.
    package var headers: [String]

    package init(_ status: Int, _ explanation: String = "", _ headers: [String] = []) {
        self.status = status
        self.explanation = explanation
        self.headers = headers
    }

    /// A refusal that says when to come back (RFC 9110 section 10.2.3): seconds, or an HTTP date as text.
    package init(_ status: Int, retryAfter: String?) {
        self.init(status, "", retryAfter.map { ["Retry-After: \($0)"] } ?? [])
    }

    /// The whole answer.
    package var response: [UInt8] {
        let body = explanation.isEmpty ? "" : explanation + "\n"
        let lines =
            [
                "HTTP/1.1 \(status) \(Self.phrases[status] ?? "Refused")", "Connection: close",
                "Content-Type: text/plain; charset=utf-8", "Content-Length: \(body.utf8.count)",
            ] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private static let phrases = [
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        408: "Request Timeout", 426: "Upgrade Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout",
    ]
}
