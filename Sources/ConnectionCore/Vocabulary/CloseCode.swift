/// A WebSocket status code as carried by a Close frame (RFC 6455 section 7.4).
///
/// The set is open: a registered or private code this library has no name for keeps its number, both ways.
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt16

    /// Makes the code with this number. Any number is representable; `mayBeSent` says whether it may go on the wire.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 1000: the purpose of the connection is fulfilled.
    public static let normalClosure = CloseCode(rawValue: 1000)
    /// 1001: the endpoint goes away; an app that stays in the background, a server that shuts down.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// 1002: the peer broke the protocol.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// 1003: the peer sent a kind of data that cannot be accepted.
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// 1005: the Close frame carried no code. Reported, never sent.
    public static let noStatusReceived = CloseCode(rawValue: 1005)
    /// 1006: the connection ended without a Close frame. Reported, never sent.
    public static let abnormalClosure = CloseCode(rawValue: 1006)
    /// 1007: a message whose payload does not match its type, such as text that is not UTF-8.
    public static let invalidPayloadData = CloseCode(rawValue: 1007)
    /// 1008: a message or a client that violates the policy of the receiver.
    public static let policyViolation = CloseCode(rawValue: 1008)
    /// 1009: a message larger than the receiver accepts.
    public static let messageTooBig = CloseCode(rawValue: 1009)
    /// 1010: the server did not negotiate an extension the client needs.
    public static let mandatoryExtension = CloseCode(rawValue: 1010)
    /// 1011: the server met a condition it did not expect.
    public static let internalError = CloseCode(rawValue: 1011)
    /// 1012: the service restarts; come back after a random 5 to 30 s (IANA WebSocket Close Code registry).
    public static let serviceRestart = CloseCode(rawValue: 1012)
    /// 1013: the service is overloaded (IANA WebSocket Close Code registry).
    public static let tryAgainLater = CloseCode(rawValue: 1013)
    /// 1014: a gateway got an invalid response from its upstream (IANA WebSocket Close Code registry).
    public static let badGateway = CloseCode(rawValue: 1014)
    /// 1015: the TLS handshake failed. Reported, never sent.
    public static let tlsHandshake = CloseCode(rawValue: 1015)

    /// Whether an endpoint may put this code in a Close frame: 1000–1003, 1007–1014 and 3000–4999.
    ///
    /// A peer that sends any other code breaks the protocol (RFC 6455 sections 7.4.1 and 7.4.2).
    public var mayBeSent: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

extension CloseCode: CustomStringConvertible {
    /// The number.
    public var description: String { String(rawValue) }
}
