/// One line of a Python peer's report: what it saw, in its own words. Which fields an event has is stated in
/// `Tests/Peers/peer.py`, `Tests/Peers/proxy.py` and `Tests/Peers/gleap_service.py`; the others are nil.
package struct PeerRecord: Decodable, Sendable {
    package enum Event: String, Decodable, Sendable {
        case ready, requested, open, message, closed, refused, proxied, call, done, error
    }

    package let event: Event

    // ready: the ports it listens on
    package let ws: Int?
    package let wss: Int?
    package let http: Int?
    package let socks5: Int?

    // open, message, closed, refused
    package let id: Int?
    package let path: String?
    package let headers: [String: String]?
    package let subprotocol: String?
    package let extensions: [String]?
    package let secure: Bool?
    package let status: Int?

    // message: its text (nil for binary) and length
    package let text: String?
    package let bytes: Int?

    // closed: the code the server received (1005 and 1006 told apart) and the one it sent
    package let code: Int?
    package let reason: String?
    package let sent: Int?
    package let first: String?
    package let messages: Int?
    package let pings: Int?
    package let pongs: Int?
    package let seconds: Double?

    // proxied
    package let kind: String?
    package let target: String?
    package let user: String?

    // call, and the sockets of gleap_service.py: the body, and whose credentials they are
    package let body: String?
    package let contact: String?

    // done, error
    package let command: String?
    package let message: String?
}

extension PeerRecord: CustomStringConvertible {
    package var description: String {
        let facts: [(String, Any?)] = [
            ("id", id), ("path", path), ("code", code), ("reason", reason), ("sent", sent), ("status", status),
            ("target", target), ("text", text), ("contact", contact), ("command", command), ("message", message),
        ]
        let known = facts.compactMap { name, value in value.map { "\(name)=\($0)" } }
        return ([event.rawValue] + known).joined(separator: " ")
    }
}
