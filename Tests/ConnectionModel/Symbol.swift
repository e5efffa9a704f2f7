package import ConnectionCore

/// An event without its numbers: what a script or a walk says happens next.
package enum Symbol: Hashable, Sendable {
    case ask(Place)
    case disconnect(LocalCloseCause)
    case opened(Age)
    case message(Age)
    case frame(Age)
    case paused(Age)
    case resumed(Age)
    case ended(Age, Ending)
    case background
    case foreground
    case backgroundTimeExpired
    case path(Route)
    case timeReached

    /// Whose fact it is: the newest attempt's, or the one's before it, which is long gone.
    package enum Age: String, CaseIterable, Sendable {
        case current, older
    }

    /// The channels there are: two of one origin, one of another, one that needs no network.
    package enum Place: String, CaseIterable, Sendable {
        case a, b, elsewhere, loopback

        package var channel: ChannelID {
            switch self {
            case .a: Self.channels[0]
            case .b: Self.channels[1]
            case .elsewhere: Self.channels[2]
            case .loopback: Self.channels[3]
            }
        }

        private static let channels = [
            ChannelID(scheme: "wss", host: "one.example", port: nil, percentEncodedPath: "/a"),
            ChannelID(scheme: "wss", host: "one.example", port: nil, percentEncodedPath: "/b"),
            ChannelID(scheme: "wss", host: "two.example", port: nil, percentEncodedPath: "/c"),
            ChannelID(scheme: "ws", host: "localhost", port: 8080),
        ]
    }

    package enum Route: String, CaseIterable, Sendable {
        case unknown, offline, wifi, cellular

        package var path: NetworkPath {
            switch self {
            case .unknown: .unknown
            case .offline: .offline
            case .wifi: .online(fingerprint: 1)
            case .cellular: .online(fingerprint: 2)
            }
        }
    }

    /// The event for a machine whose newest attempt has this number.
    package func event(newest: AttemptID) -> ConnectionEvent {
        func attempt(_ age: Age) -> AttemptID {
            age == .current || newest.number == 0 ? newest : AttemptID(newest.number - 1)
        }
        switch self {
        case .ask(let place): return .ask(place.channel)
        case .disconnect(let cause): return .disconnect(cause)
        case .opened(let age): return .opened(attempt(age))
        case .message(let age): return .messageReceived(attempt(age))
        case .frame(let age): return .frameReceived(attempt(age))
        case .paused(let age): return .readingPaused(attempt(age))
        case .resumed(let age): return .readingResumed(attempt(age))
        case .ended(let age, let ending): return .ended(attempt(age), ending.reason, retryAfter: ending.retryAfter)
        case .background: return .enteredBackground
        case .foreground: return .enteredForeground
        case .backgroundTimeExpired: return .backgroundTimeExpired
        case .path(let route): return .pathChanged(route.path)
        case .timeReached: return .timeReached
        }
    }
}

/// The ways an attempt or its socket ends.
package enum Ending: String, CaseIterable, Sendable {
    case normal = "1000"
    case goingAway = "1001"
    case protocolError = "1002"
    case noStatus = "1005"
    case lost = "1006"
    case policy = "1008"
    case internalError = "1011"
    case restart = "1012"
    case overloaded = "1013"
    case overloadedFor30 = "1013/30"
    case custom = "4001"
    case unauthorized = "401"
    case forbidden = "403"
    case tooManyForever = "429/99999"
    case serverError = "500"
    case unavailable = "503"
    case unavailableFor60 = "503/60"
    case dns, tls, openingTimedOut, violation, provider, closed

    package var reason: DisconnectReason {
        switch self {
        case .normal: .closedByPeer(.normalClosure)
        case .goingAway: .closedByPeer(.goingAway)
        case .protocolError: .closedByPeer(.protocolError)
        case .noStatus: .closedByPeer(.noStatusReceived)
        case .lost: .connectionLost
        case .policy: .closedByPeer(.policyViolation)
        case .internalError: .closedByPeer(.internalError)
        case .restart: .closedByPeer(.serviceRestart)
        case .overloaded, .overloadedFor30: .closedByPeer(.tryAgainLater)
        case .custom: .closedByPeer(CloseCode(rawValue: 4001))
        case .unauthorized: .openingRefused(status: 401)
        case .forbidden: .openingRefused(status: 403)
        case .tooManyForever: .openingRefused(status: 429)
        case .serverError: .openingRefused(status: 500)
        case .unavailable, .unavailableFor60: .openingRefused(status: 503)
        case .dns: .openingFailed(.nameResolution)
        case .tls: .openingFailed(.tls)
        case .openingTimedOut: .openingTimedOut
        case .violation: .protocolViolation(.protocolError)
        case .provider: .requestUnavailable
        case .closed: .closedLocally(.disconnected)
        }
    }

    package var retryAfter: Duration? {
        switch self {
        case .overloadedFor30: .seconds(30)
        case .unavailableFor60: .seconds(60)
        case .tooManyForever: .seconds(99_999)
        case .normal, .goingAway, .protocolError, .noStatus, .lost, .policy, .internalError, .restart, .overloaded,
            .custom, .unauthorized, .forbidden, .serverError, .unavailable, .dns, .tls, .openingTimedOut, .violation,
            .provider, .closed:
            nil
        }
    }
}
