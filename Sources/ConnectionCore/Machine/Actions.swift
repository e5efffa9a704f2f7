/// What the caller must do after an event, in the order of the properties. Nothing is the common case.
public struct Actions: Hashable, Sendable {
    /// Tear this attempt down: its closing handshake ran out of time.
    public var abandon: AttemptID?
    /// Start this attempt for the channel asked for last.
    public var open: Open?
    /// Send a Ping on the socket of this attempt.
    public var ping: AttemptID?
    /// Start the closing handshake of this attempt.
    public var close: Close?
    /// Ask the system for time in the background, or give it back.
    public var backgroundTime: BackgroundTime?
    /// The status is another one now.
    public var statusChanged = false

    /// Makes actions with nothing to do.
    package init() {}

    /// Nothing to do.
    public static let none = Actions()

    /// An attempt to start.
    public struct Open: Hashable, Sendable {
        /// Its number.
        public var attempt: AttemptID
        /// Whether the server refused the credentials of an earlier attempt, so that the provider should renew them.
        public var refused: Bool

        package init(attempt: AttemptID, refused: Bool) {
            self.attempt = attempt
            self.refused = refused
        }
    }

    /// A socket to close.
    public struct Close: Hashable, Sendable {
        /// The attempt of the socket.
        public var attempt: AttemptID
        /// Why; `ConnectionPolicy.closeCode(for:)` gives the code, its description the reason text.
        public var cause: LocalCloseCause
        /// The code for the Close frame.
        public var code: CloseCode { ConnectionPolicy.closeCode(for: cause) }

        package init(attempt: AttemptID, cause: LocalCloseCause) {
            self.attempt = attempt
            self.cause = cause
        }
    }

    /// What to do about background time. Beginning and ending alternate.
    public enum BackgroundTime: Hashable, Sendable {
        /// Ask for it.
        case begin
        /// Give it back.
        case end
    }
}
