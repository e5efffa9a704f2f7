public import ConnectionCore

/// Opens sockets and reports what happens to them. It knows no policy: when to open, to ping and to close is told to it.
///
/// The methods return at once and may be called from any thread.
public protocol Transport: Sendable {
    /// Starts one attempt and returns its socket.
    ///
    /// `report` gets the facts of this attempt, in order, one at a time, on any thread, possibly before this method
    /// returns. The last one is `.closed`, exactly once, whatever happens.
    func open(
        _ request: ConnectionRequest, attempt: AttemptID, limits: TransportLimits,
        report: @escaping @Sendable (TransportFact) -> Void
    ) -> any TransportSocket
}

/// One attempt and the socket that may come of it. Every method may be called from any thread, in any state, any number
/// of times; after the end it does nothing (and `send` reports `.closed`).
public protocol TransportSocket: AnyObject, Sendable {
    /// Queues one message. `completion` is called exactly once, on any thread: with nil when the message has been handed
    /// to the network, else with `.notOpen`, `.queueFull`, `.messageTooBig` or `.closed`.
    func send(_ message: Message, completion: @escaping @Sendable (ConnectionError?) -> Void)

    /// Sends a Ping frame. The answer is reported as `.pongReceived`.
    func ping()

    /// Allows `count` further messages to be reported. A socket starts with none; while none is allowed, nothing is read
    /// beyond what is needed for one message, so that the peer feels the pressure.
    func receive(_ count: Int)

    /// Starts the closing handshake: sends a Close frame with `code` and `reason` behind what is already queued.
    ///
    /// Called while the opening handshake is under way, it lets a request that was already sent finish, so that the peer
    /// gets a Close frame rather than a broken connection; if nothing was sent yet, it ends at once. The end is reported
    /// as `.closed` with an outcome. A transport gives up by itself after `TransportLimits.closingHandshake`.
    func close(code: CloseCode, reason: String)

    /// Tears the connection down at once. For a socket whose closing handshake got no answer in time.
    func abandon()
}

/// Bounds that a transport enforces for one attempt.
public struct TransportLimits: Hashable, Sendable {
    /// The largest message accepted in either direction, in bytes after decompression. A larger one from the peer closes
    /// the socket with 1009; a larger one to send is refused. Default 16 MiB.
    public var maximumMessageBytes: Int
    /// How many bytes may wait to be written. One message is always accepted by an empty queue. Default 16 MiB.
    public var maximumQueuedBytes: Int
    /// The time for name lookup, TCP, TLS, proxy and upgrade together, measured from `open`. Default 15 s.
    public var openingHandshake: Duration
    /// The time for the closing handshake, measured from `close`. Default 2 s.
    public var closingHandshake: Duration

    /// Makes limits; every value has the default its property documents.
    public init(
        maximumMessageBytes: Int = 16 << 20, maximumQueuedBytes: Int = 16 << 20,
        openingHandshake: Duration = .seconds(15), closingHandshake: Duration = .seconds(2)
    ) {
        self.maximumMessageBytes = maximumMessageBytes
        self.maximumQueuedBytes = maximumQueuedBytes
        self.openingHandshake = openingHandshake
        self.closingHandshake = closingHandshake
    }
}

/// Something that happened to one attempt.
public enum TransportFact: Sendable {
    /// The opening handshake is complete.
    case opened(OpeningResult)
    /// A whole message arrived; it uses up one `receive`.
    case message(Message)
    /// A Ping frame arrived and was answered.
    case pingReceived
    /// A Pong frame arrived.
    case pongReceived
    /// The attempt is over; no further fact follows.
    case closed(TransportClose)
}

/// What the opening handshake agreed on.
public struct OpeningResult: Hashable, Sendable {
    /// The subprotocol the server chose, nil if none.
    public var subprotocol: String?
    /// The extensions in use, as the server named them; empty if none.
    public var extensions: String

    /// Makes a result.
    public init(subprotocol: String? = nil, extensions: String = "") {
        self.subprotocol = subprotocol
        self.extensions = extensions
    }
}

/// How an attempt ended, as seen from this side.
public struct TransportClose: Equatable, Sendable {
    /// Who ended it and why. After `TransportSocket.close` the transport says `.closedByPeer` if a Close frame came,
    /// else `.connectionLost`; the first terminal cause wins.
    public var reason: DisconnectReason
    /// The code of the Close frame received; 1005 if it had none, 1006 if there was no Close frame.
    public var closeCode: CloseCode
    /// The text of the Close frame received (RFC 6455 section 7.1.6).
    public var closeReason: String
    /// The `Retry-After` of a refused upgrade, measured from its arrival (RFC 9110 section 10.2.3); nil if absent.
    public var retryAfter: Duration?
    /// For a close this side asked for: how sure it is that the peer knows. Nil when the peer or the network ended it.
    public var outcome: CloseOutcome?
    /// What went wrong, if something did.
    public var error: ConnectionError?

    /// Makes an ending; everything beyond the reason has a neutral default.
    public init(
        _ reason: DisconnectReason, closeCode: CloseCode = .abnormalClosure, closeReason: String = "",
        retryAfter: Duration? = nil, outcome: CloseOutcome? = nil, error: ConnectionError? = nil
    ) {
        self.reason = reason
        self.closeCode = closeCode
        self.closeReason = closeReason
        self.retryAfter = retryAfter
        self.outcome = outcome
        self.error = error
    }
}

extension TransportClose: CustomStringConvertible {
    /// Who ended it, how sure the peer knows, and what went wrong. Not the peer's reason text, which may hold anything.
    public var description: String {
        var words = reason.description
        if let outcome { words += ", \(outcome)" }
        if let retryAfter { words += ", Retry-After \(retryAfter.components.seconds) s" }
        if let error { words += ", \(error)" }
        return words
    }
}
