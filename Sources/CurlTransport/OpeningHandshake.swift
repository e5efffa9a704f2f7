#if os(Linux)
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import SteadyTransport
import WebSocketWire

/// The client's side of the opening handshake (RFC 6455 section 4.1): the bytes to send and the judgement of the answer.
struct OpeningHandshake {
    /// The largest answer accepted, in bytes, before its empty line has come.
    static let maximumHeadBytes = 32 << 10

    /// What the answer amounts to.
    enum Answer {
        /// The empty line has not come yet.
        case incomplete
        case accepted(Agreement)
        /// A status other than 101.
        case refused(status: Int, retryAfter: Duration?)
        /// An answer RFC 6455 does not allow; the text says which rule it breaks.
        case invalid(String)
    }

    /// What both sides agreed on, and the bytes that came behind the answer.
    struct Agreement {
        var result: OpeningResult
        var deflate: DeflateParameters?
        var rest: ArraySlice<UInt8>
    }

    let key: String
    private let subprotocols: [String]
    private let offersDeflate: Bool
    private var received: [UInt8] = []
    private var searched = 0

    init(_ request: ConnectionRequest, offersDeflate: Bool, key: String = HandshakeKey.random()) {
        self.key = key
        subprotocols = request.subprotocols
        self.offersDeflate = offersDeflate
    }

    /// The upgrade request.
    func requestBytes(_ request: ConnectionRequest, to endpoint: Endpoint) -> [UInt8] {
        var lines = [
            "GET \(endpoint.target) HTTP/1.1",
            "Host: \(endpoint.hostHeader)",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: \(key)",
        ]
        if !subprotocols.isEmpty { lines.append("Sec-WebSocket-Protocol: " + subprotocols.joined(separator: ", ")) }
        if offersDeflate { lines.append("Sec-WebSocket-Extensions: " + DeflateParameters.offer) }
        lines += request.headers.map { "\($0.name): \($0.value)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Takes the next bytes of the answer.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, now: Date = Date()) -> Answer {
        received.append(contentsOf: bytes)
        while true {
            guard looksLikeHTTP else { return .invalid("the answer is not HTTP/1.1") }
            guard let end = HTTPHead.end(in: received, from: searched - 3) else {
                searched = received.count
                return received.count > Self.maximumHeadBytes
                    ? .invalid("the answer has no end within \(Self.maximumHeadBytes) bytes") : .incomplete
            }
            guard end <= Self.maximumHeadBytes else {
                return .invalid("the head of the answer is larger than \(Self.maximumHeadBytes) bytes")
            }
            let head: HTTPHead
            do { head = try HTTPHead.parse(received[..<end]) } catch { return .invalid(error.message) }
            guard let status = Self.status(head.startLine) else { return .invalid("the status line is malformed") }
            // Interim answers such as 103 come before the real one (RFC 9110 section 15.2).
            if (100..<200).contains(status) && status != 101 {
                received.removeSubrange(..<end)
                searched = 0
                interim += 1
                guard interim <= 8 else { return .invalid("more than 8 interim answers") }
                continue
            }
            guard status == 101 else {
                return .refused(status: status, retryAfter: RetryAfter.parse(head, now: now))
            }
            return judge(head, rest: received[end...])
        }
    }

    private var interim = 0

    private var looksLikeHTTP: Bool {
        let expected = Array("HTTP/1.".utf8)
        return received.starts(with: expected.prefix(received.count))
    }

    /// The status of `HTTP/1.1 101 Switching Protocols`.
    static func status(_ line: String) -> Int? {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
            parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let status = Int(parts[1]), (100..<1000).contains(status)
        else { return nil }
        return status
    }

    private func judge(_ head: HTTPHead, rest: ArraySlice<UInt8>) -> Answer {
        guard head.startLine.hasPrefix("HTTP/1.1 ") else { return .invalid("an upgrade needs HTTP/1.1") }
        guard head.list("upgrade", contains: "websocket") else {
            return .invalid("the 101 has no Upgrade header with websocket")
        }
        guard head.list("connection", contains: "upgrade") else {
            return .invalid("the 101 has no Connection header with Upgrade")
        }
        guard head.count(of: "sec-websocket-accept") == 1,
            head["sec-websocket-accept"] == HandshakeKey.accept(for: key)
        else {
            return .invalid("Sec-WebSocket-Accept does not answer the key that was sent")
        }
        let subprotocol = head["sec-websocket-protocol"]
        if let subprotocol, !subprotocols.contains(subprotocol) {
            return .invalid("the server chose a subprotocol that was not offered")
        }
        let extensions = head["sec-websocket-extensions"] ?? ""
        var deflate: DeflateParameters?
        if !extensions.isEmpty {
            guard offersDeflate else { return .invalid("the server chose an extension that was not offered") }
            do { deflate = try DeflateParameters(answer: extensions) } catch { return .invalid(error.message) }
        }
        let result = OpeningResult(subprotocol: subprotocol, extensions: extensions)
        return .accepted(Agreement(result: result, deflate: deflate, rest: rest))
    }
}
#endif
