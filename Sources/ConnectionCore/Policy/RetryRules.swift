/// What to do when a socket ended, as data an app can replace.
public struct RetryRules: Hashable, Sendable {
    /// When, and with what, to try again.
    public enum Action: Hashable, Sendable {
        /// Wait as the backoff says.
        case backoff
        /// Wait a time drawn uniformly from this range, measured from the end of the socket; after the next failure the
        /// backoff goes on. Clamped to at least 0.
        case wait(ClosedRange<Duration>)
        /// Obey `Retry-After`: for R seconds, clamped to 0...300 s, wait R + U(0, R). Never exactly R, which would bring
        /// the whole herd back at once. Without it, or for 0, wait as the backoff says.
        case retryAfter
        /// Try again after the foreground debounce, without a failure counted.
        case reconnect
        /// Ask the request provider once more, told that the server refused; after the second refusal in a row hold.
        case refresh
        /// Do not try until the next ask or return to the foreground.
        case hold
    }

    /// Whether an attempt that ended this way can have earned a fresh start of the backoff.
    public enum Ladder: Hashable, Sendable {
        /// By a message or by having been open long enough.
        case mayStartOver
        /// Only by having been open long enough: a server that greets before it refuses earns nothing.
        case mayStartOverAfterUptime
        /// Not at all.
        case kept
    }

    /// An action together with its effect on the backoff.
    public struct Rule: Hashable, Sendable {
        /// When to try again.
        public var action: Action
        /// Whether the backoff may start over.
        public var ladder: Ladder

        /// Makes a rule.
        public init(_ action: Action, ladder: Ladder = .mayStartOver) {
            self.action = action
            self.ladder = ladder
        }
    }

    /// By the code of the peer's Close frame.
    public var closeCodes: [CloseCode: Rule]
    /// By the HTTP status of a refused upgrade.
    public var statuses: [Int: Rule]
    /// For close codes 3000–4999 without a rule of their own.
    public var privateCloseCodes: Rule
    /// For HTTP statuses without a rule of their own.
    public var otherStatuses: Rule
    /// When this side closed because the peer broke the protocol (1002, 1007, 1009).
    public var protocolViolations: Rule
    /// When the probe of a socket that may have died during a suspension or a path change went unanswered.
    public var probeUnanswered: Rule
    /// For everything else: 1000, 1006, 1011, failures of DNS, TCP and TLS, timeouts.
    public var otherwise: Rule

    /// The rules of the design: see the table in `docs/design.md`.
    public init() {
        let kept = Rule(.backoff, ladder: .kept)
        let restart = Rule(.wait(.seconds(5)...(.seconds(30))))
        let refused = Rule(.refresh, ladder: .kept)
        closeCodes = [
            .goingAway: restart, .serviceRestart: restart,
            .tryAgainLater: Rule(.retryAfter, ladder: .kept), .policyViolation: refused,
            .protocolError: kept, .unsupportedData: kept, .invalidPayloadData: kept, .messageTooBig: kept,
            .mandatoryExtension: kept,
        ]
        statuses = [401: refused, 403: refused]
        privateCloseCodes = Rule(.backoff, ladder: .mayStartOverAfterUptime)
        otherStatuses = Rule(.retryAfter, ladder: .kept)
        protocolViolations = kept
        probeUnanswered = Rule(.reconnect)
        otherwise = Rule(.backoff)
    }

    /// The rule for this ending.
    public func rule(for reason: DisconnectReason) -> Rule {
        switch reason {
        case .closedByPeer(let code):
            closeCodes[code] ?? ((3000...4999).contains(code.rawValue) ? privateCloseCodes : otherwise)
        case .openingRefused(let status): statuses[status] ?? otherStatuses
        case .protocolViolation: protocolViolations
        case .probeUnanswered: probeUnanswered
        case .connectionLost, .openingTimedOut, .openingFailed, .keepaliveTimedOut, .requestUnavailable, .closedLocally:
            otherwise
        }
    }
}
