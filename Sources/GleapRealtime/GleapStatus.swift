public import SteadySocket

/// Where the session and its socket are.
public struct GleapStatus: Hashable, Sendable {
    /// The session, as the HTTP calls left it.
    public var session: SessionState
    /// The socket: what it does, why, and what comes next.
    public var connection: ConnectionStatus
}

extension GleapStatus: CustomStringConvertible {
    /// For people: `session ready, socket open #1`.
    public var description: String { "session \(session), socket \(connection)" }
}

/// What a session is doing.
public enum SessionState: Hashable, Sendable {
    /// `start()` was not called, or `stop()` was.
    case stopped
    /// The service has not yet answered the first call. The socket may be open already, with the stored identity.
    case starting
    /// The service knows this process; nothing is under way.
    case ready
    /// Asking the service about this.
    case asking(GleapOperation)
    /// The last attempt at the operation failed this way; the next one is made `delay` after it.
    case waiting(GleapOperation, GleapError, delay: Duration, until: Instant)
    /// The session could not be started; `start()`, `identify(_:)` and the return to the foreground try again.
    case failed(GleapError)
}

extension SessionState: CustomStringConvertible {
    /// A few words without secrets.
    public var description: String {
        switch self {
        case .stopped: "stopped"
        case .starting: "starting"
        case .ready: "ready"
        case .asking(let operation): "asking: \(operation.rawValue)"
        case .waiting(let operation, let error, let delay, _):
            "waiting \(delay.inSeconds) s: \(operation.rawValue), \(error.code.rawValue)"
        case .failed(let error): "failed: \(error)"
        }
    }
}

/// A call to the service.
public enum GleapOperation: String, Hashable, CaseIterable, Sendable {
    /// `POST /sessions`.
    case start
    /// `POST /sessions/identify`.
    case identify
    /// `POST /sessions/partialupdate`.
    case update
}

/// Something that happened to a session.
public enum GleapEvent: Hashable, Sendable {
    /// The session is doing something else now.
    case stateChanged(SessionState)
    /// The service answered; the session may have another contact now.
    case answered(GleapOperation, GleapSession)
    /// Nothing was sent, because nothing would change.
    case unchanged(GleapOperation)
    /// The operation was given up. After `.rejected` a fresh session is started.
    case failed(GleapOperation, GleapError)
    /// The identity could not be read or kept; the session goes on without that.
    case storageFailed(GleapError)
}

/// Messages that were not handed on, by cause.
public struct IgnoredMessages: Hashable, Sendable {
    /// No JSON object with a text `name`, or an `update` without `data`.
    public var malformed = 0
    /// A name this version does not know.
    public var unknownName = 0
    /// An observer of `updates` was more than 256 behind and lost its oldest.
    public var dropped = 0

    /// Makes counts.
    public init(malformed: Int = 0, unknownName: Int = 0, dropped: Int = 0) {
        self.malformed = malformed
        self.unknownName = unknownName
        self.dropped = dropped
    }
}
