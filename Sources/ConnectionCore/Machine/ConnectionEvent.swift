/// What the machine is told: commands in the imperative, facts in the past tense.
///
/// A fact that names an attempt other than the current one is about a socket that is gone; it changes nothing.
public enum ConnectionEvent: Hashable, Sendable {
    // Commands of the app.

    /// Asks for a channel; the socket opens after the quiet window.
    case ask(ChannelID)
    /// Closes the socket and asks for nothing any more.
    case disconnect(LocalCloseCause)

    // Facts about an attempt.

    /// The opening handshake completed.
    case opened(AttemptID)
    /// A message arrived.
    case messageReceived(AttemptID)
    /// A frame other than a message arrived; a Pong, a Ping.
    case frameReceived(AttemptID)
    /// The consumer is behind, so nothing is read; silence is not death.
    case readingPaused(AttemptID)
    /// Reading goes on.
    case readingResumed(AttemptID)
    /// The attempt or its socket ended. `retryAfter` is what the server asked for, nil if nothing.
    case ended(AttemptID, DisconnectReason, retryAfter: Duration?)

    // Facts about the world.

    /// The app went to the background.
    case enteredBackground
    /// The app comes to the foreground, or became active.
    case enteredForeground
    /// The system ends the background time now.
    case backgroundTimeExpired
    /// The network path changed.
    case pathChanged(NetworkPath)
    /// Time passed. Early, late and repeated calls are harmless.
    case timeReached
}
