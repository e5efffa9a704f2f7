/// Why a socket, or the attempt to open one, came to its end. Who ended it decides what happens next.
public enum DisconnectReason: Hashable, Sendable {
    /// The peer sent a Close frame with this code; 1005 when the frame carried none.
    case closedByPeer(CloseCode)
    /// The connection ended without a Close frame (what a server would record as 1006).
    case connectionLost
    /// The server answered the upgrade request with this HTTP status instead of 101.
    case openingRefused(status: Int)
    /// The opening handshake did not finish in time.
    case openingTimedOut
    /// The opening handshake could not be made.
    case openingFailed(OpeningFailure)
    /// A keepalive ping got no answer in time.
    case keepaliveTimedOut
    /// The ping after a suspension or a path change got no answer in time.
    case probeUnanswered
    /// The peer broke a rule; this side closed with the code.
    case protocolViolation(CloseCode)
    /// The app's request provider failed; nothing was sent.
    case requestUnavailable
    /// This side ended it.
    case closedLocally(LocalCloseCause)
}

/// The step of the opening handshake that failed.
public enum OpeningFailure: Hashable, Sendable {
    /// The host name could not be resolved.
    case nameResolution
    /// No TCP connection to any address of the host.
    case connect
    /// The TLS handshake failed or the certificate was refused.
    case tls
    /// The proxy refused or could not be reached.
    case proxy
    /// The answer to the upgrade request was not one RFC 6455 section 4.1 allows.
    case invalidResponse
    /// The connection ended before the answer was complete.
    case connectionLost
}

/// Why this side ends a socket. `ConnectionPolicy.closeCode(for:)` gives the code each one sends.
public enum LocalCloseCause: Hashable, CaseIterable, Sendable {
    /// Another channel takes its place.
    case replaced
    /// The app called `disconnect()`.
    case disconnected
    /// The last handle was released.
    case released
    /// The app stayed in the background longer than the grace.
    case stayedInBackground
    /// The process was told to exit.
    case exiting
    /// A ping or the opening handshake went unanswered.
    case unresponsive
}

/// How sure this side is that the peer learnt why the socket closed.
public enum CloseOutcome: Hashable, Sendable {
    /// The peer answered with its own Close frame.
    case acknowledged
    /// The Close frame was handed to the network; the connection ended without the peer's answer.
    case flushed
    /// No answer within this time, measured from the call that closed; the transport was torn down.
    case unknown(after: Duration)
}
