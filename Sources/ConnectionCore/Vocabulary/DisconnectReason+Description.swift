extension DisconnectReason: CustomStringConvertible {
    /// A few words, such as `peer closed with 1013` or `HTTP 503`.
    public var description: String {
        switch self {
        case .closedByPeer(let code): "peer closed with \(code)"
        case .connectionLost: "connection lost (1006)"
        case .openingRefused(let status): "HTTP \(status)"
        case .openingTimedOut: "opening handshake timed out"
        case .openingFailed(let failure): "opening failed: \(failure)"
        case .keepaliveTimedOut: "ping unanswered"
        case .probeUnanswered: "probe unanswered"
        case .protocolViolation(let code): "peer broke the protocol (\(code))"
        case .requestUnavailable: "request provider failed"
        case .closedLocally(let cause): "closed here: \(cause)"
        }
    }

    /// The code or status alone where the server gave one.
    package var shortName: String {
        switch self {
        case .closedByPeer(let code): code.description
        case .openingRefused(let status): "HTTP \(status)"
        case .connectionLost, .openingTimedOut, .openingFailed, .keepaliveTimedOut, .probeUnanswered,
            .protocolViolation, .requestUnavailable, .closedLocally:
            description
        }
    }
}

extension OpeningFailure: CustomStringConvertible {
    /// A few words.
    public var description: String {
        switch self {
        case .nameResolution: "host name not resolved"
        case .connect: "no connection"
        case .tls: "TLS"
        case .proxy: "proxy"
        case .invalidResponse: "invalid response"
        case .connectionLost: "connection lost"
        }
    }
}

extension LocalCloseCause: CustomStringConvertible {
    /// One word; also the reason text of the Close frame, so that a server's log says why.
    public var description: String {
        switch self {
        case .replaced: "replaced"
        case .disconnected: "disconnected"
        case .released: "released"
        case .stayedInBackground: "background"
        case .exiting: "exiting"
        case .unresponsive: "unresponsive"
        }
    }
}

extension CloseOutcome: CustomStringConvertible {
    /// A few words.
    public var description: String {
        switch self {
        case .acknowledged: "acknowledged"
        case .flushed: "flushed"
        case .unknown(let waited): "unknown after \(waited.inNanoseconds / 1_000_000) ms"
        }
    }
}
