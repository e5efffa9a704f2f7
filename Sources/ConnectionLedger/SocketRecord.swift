/// What the server saw of one accepted socket. Written once, as the socket closes.
package struct SocketRecord: Hashable, Sendable, Codable {
    /// Who ended the socket, as far as the server can tell.
    package enum Closer: String, Hashable, Sendable, Codable, CaseIterable {
        /// The client's Close frame came first.
        case client
        /// The server sent its Close frame first, or dropped the connection.
        case server
        /// The connection ended and nobody had sent a Close frame.
        case network
    }

    /// The number of the socket, counted from 1 by the server that accepted it.
    package var id: UInt64
    /// When the upgrade was accepted.
    package var opened: WallTime
    /// When the closing handshake was complete, or the connection found to be gone.
    package var closed: WallTime
    /// The time between the two, in seconds, from a clock that does not jump.
    package var seconds: Double
    /// The path of the request, without the query.
    package var path: String
    /// The query items whose names the server was told to keep; never any other part of the query.
    package var query: [String: String]
    /// Address and port of the client.
    package var peer: String
    /// The code of the client's Close frame; 1005 if it carried none, 1006 if no Close frame came.
    package var code: UInt16
    /// The text of the client's Close frame.
    package var reason: String
    /// The code of the server's own Close frame; 1005 if it carried none, nil if none was sent.
    package var sentCode: UInt16?
    /// Who ended it.
    package var closedBy: Closer
    /// The rule the client broke, if the server closed for one; nil otherwise.
    package var note: String?
    /// Payload bytes of whole messages, client to server.
    package var bytesIn: Int
    /// Payload bytes of messages, server to client.
    package var bytesOut: Int
    /// Whole messages, client to server.
    package var messagesIn: Int
    /// Messages, server to client.
    package var messagesOut: Int
    /// Ping frames, client to server.
    package var pingsIn: Int

    package init(
        id: UInt64, opened: WallTime, closed: WallTime, seconds: Double, path: String = "/",
        query: [String: String] = [:], peer: String = "", code: UInt16, reason: String = "", sentCode: UInt16? = nil,
        closedBy: Closer, note: String? = nil, bytesIn: Int = 0, bytesOut: Int = 0, messagesIn: Int = 0,
        messagesOut: Int = 0, pingsIn: Int = 0
    ) {
        self.id = id
        self.opened = opened
        self.closed = closed
        self.seconds = seconds
        self.path = path
        self.query = query
        self.peer = peer
        self.code = code
        self.reason = reason
        self.sentCode = sentCode
        self.closedBy = closedBy
        self.note = note
        self.bytesIn = bytesIn
        self.bytesOut = bytesOut
        self.messagesIn = messagesIn
        self.messagesOut = messagesOut
        self.pingsIn = pingsIn
    }
}

/// A connection that did not become a WebSocket.
package struct RefusalRecord: Hashable, Sendable, Codable {
    /// When it was refused, or found to be gone.
    package var time: WallTime
    /// The HTTP status of the answer; nil if the connection ended without one.
    package var status: Int?
    /// Address and port of the client.
    package var peer: String

    package init(time: WallTime, status: Int?, peer: String = "") {
        self.time = time
        self.status = status
        self.peer = peer
    }
}

/// One line of a ledger.
package enum LedgerEntry: Hashable, Sendable {
    case socket(SocketRecord)
    case refusal(RefusalRecord)

    /// The record, if the entry is about an accepted socket.
    package var socket: SocketRecord? {
        switch self {
        case .socket(let record): record
        case .refusal: nil
        }
    }

    /// The record, if the entry is about a refused request.
    package var refusal: RefusalRecord? {
        switch self {
        case .socket: nil
        case .refusal(let record): record
        }
    }
}

extension LedgerEntry: Codable {
    private enum Kind: String, Codable { case socket, refusal }
    private enum Keys: String, CodingKey { case kind }

    package init(from decoder: any Decoder) throws {
        switch try decoder.container(keyedBy: Keys.self).decode(Kind.self, forKey: .kind) {
        case .socket: self = .socket(try SocketRecord(from: decoder))
        case .refusal: self = .refusal(try RefusalRecord(from: decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        switch self {
        case .socket(let record):
            try container.encode(Kind.socket, forKey: .kind)
            try record.encode(to: encoder)
        case .refusal(let record):
            try container.encode(Kind.refusal, forKey: .kind)
            try record.encode(to: encoder)
        }
    }
}
