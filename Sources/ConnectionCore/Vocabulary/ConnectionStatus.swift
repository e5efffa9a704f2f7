/// What a connection is doing, why, and what happens next.
public enum ConnectionStatus: Hashable, Sendable {
    /// Nothing is asked for and nothing is open.
    case idle
    /// The next attempt starts at `until`, `delay` after this status began, unless something changes before.
    case waiting(WaitReason, delay: Duration, until: Instant)
    /// The opening handshake of this attempt is under way.
    case opening(AttemptID)
    /// The socket of this attempt is open.
    case open(AttemptID)
    /// The closing handshake of this attempt is under way, started by this side.
    case closing(AttemptID, LocalCloseCause)
    /// A channel is asked for, but no attempt is made until the cause is gone.
    case held(HoldReason)
}

/// What a connection waits for before the next attempt.
public enum WaitReason: Hashable, Sendable {
    /// The quiet window after an ask that changed the channel.
    case quietWindow
    /// The debounce after the app came to the foreground.
    case foreground
    /// The debounce after the network came back.
    case networkReturn
    /// The socket is being replaced; the next attempt follows the close.
    case replacement
    /// The backoff after this many failures in a row, of which this was the last.
    case backoff(failure: Int, DisconnectReason)
    /// The time the server asked for with this close or refusal.
    case server(DisconnectReason)
    /// The server refused the credentials; the request provider is asked once more.
    case refresh(DisconnectReason)
    /// The connect budget is used up.
    case budget
}

/// What keeps a connection from trying.
public enum HoldReason: Hashable, Sendable {
    /// The app is in the background, or was launched into it.
    case background
    /// There is no network path.
    case offline
    /// The server refused twice, or a rule says to stop; the next ask or foreground tries again.
    case refused(DisconnectReason)
}

extension ConnectionStatus: CustomStringConvertible {
    /// For people: `waiting 12.4 s: server said 1012`, `held: background`, `stopped: HTTP 403`.
    public var description: String {
        switch self {
        case .idle: "idle"
        case .waiting(let why, let delay, _): "waiting \(Self.tenths(delay)) s: \(why)"
        case .opening(let attempt): "opening \(attempt)"
        case .open(let attempt): "open \(attempt)"
        case .closing(let attempt, let cause): "closing \(attempt): \(cause)"
        case .held(.refused(let reason)): "stopped: \(reason)"
        case .held(let why): "held: \(why)"
        }
    }

    private static func tenths(_ delay: Duration) -> String {
        // Rounded after the division: a wait without an end must not overflow.
        let (whole, rest) = max(delay, .zero).inNanoseconds.quotientAndRemainder(dividingBy: 100_000_000)
        let tenths = whole + (rest >= 50_000_000 ? 1 : 0)
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension WaitReason: CustomStringConvertible {
    /// A few words.
    public var description: String {
        switch self {
        case .quietWindow: "quiet window after the ask"
        case .foreground: "app came to the foreground"
        case .networkReturn: "network came back"
        case .replacement: "replacing the socket"
        case .backoff(let failure, let reason): "\(reason), failure \(failure)"
        case .server(let reason): "server said \(reason.shortName)"
        case .refresh(let reason): "asking for fresh credentials after \(reason.shortName)"
        case .budget: "connect budget used up"
        }
    }
}

extension HoldReason: CustomStringConvertible {
    /// A few words.
    public var description: String {
        switch self {
        case .background: "background"
        case .offline: "offline"
        case .refused(let reason): "refused, \(reason)"
        }
    }
}
