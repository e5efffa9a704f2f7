/// A way in which `URLSession` has been seen to depart from what one would expect. A simulator has any set of them.
public enum URLSessionQuirk: String, CaseIterable, Sendable {
    /// The handler of a Ping is called twice.
    case doublePong
    /// The handler of a Ping is never called, not even when the task ends.
    case noPong
    /// When the connection is lost, nothing is called at all; also not when the session is invalidated.
    case receiveNeverReturns
    /// When the connection is lost, `didComplete` comes, but the receive is not told.
    case completesWithoutReceive
    /// When the server closes, the receive fails with POSIX 57 half a second before `didClose` comes.
    case errorBeforeClose
    /// `didClose` never comes; the close ends with the failure of the receive and `didComplete`.
    case noDidClose
    /// `didClose` comes with code 0, whatever the server sent.
    case closeCodeZero
    /// `cancel(with:)` has no effect that can be seen: a closing handshake on a dead link.
    case closeUnanswered
    /// After its session has been invalidated, the task calls everything once more.
    case lateCallbacks
    /// The server takes the connection and never answers the upgrade request.
    case hungHandshake
    /// The server answers the upgrade request with 503 and `Retry-After: 7`.
    case refusedUpgrade
    /// Every message is larger than `maximumMessageSize`: the receive fails with POSIX 40.
    case messageOverLimit
    /// Messages to send are never taken.
    case sendsStall
}
