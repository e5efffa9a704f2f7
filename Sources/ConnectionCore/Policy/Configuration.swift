/// Every number the connection goes by. Durations are real time on a line that goes on during sleep.
public struct Configuration: Hashable, Sendable {
    /// From the last ask that changed the channel to the attempt. Default 1.5 s. An ask for the same channel does not
    /// restart it. Clamped to at least 0.
    public var askQuietWindow: Duration = .milliseconds(1500)
    /// From the first ask of a burst to the attempt, however many follow. Default 6 s. Clamped to at least the quiet
    /// window.
    public var askCeiling: Duration = .seconds(6)
    /// From the return to the foreground to the attempt. Default 0.25 s. Merges the notifications of one return.
    /// Clamped to at least 0.
    public var foregroundDebounce: Duration = .milliseconds(250)
    /// From the return of the network to the attempt, drawn uniformly. Default exactly 0.25 s. Clamped to at least 0.
    public var networkReturnDelay: ClosedRange<Duration> = .milliseconds(250)...(.milliseconds(250))
    /// Bounds on the handshakes.
    public var timeouts = Timeouts()
    /// The waits between failures.
    public var backoff = Backoff()
    /// What makes the backoff start over.
    public var startOver = StartOver()
    /// Pings of the open socket.
    public var keepalive = Keepalive()
    /// From entering the background to the close with 1001. Default 10 s; nil never closes. Clamped to at least 0.
    public var backgroundGrace: Duration? = .seconds(10)
    /// The bound on attempts over all triggers.
    public var budget = ConnectBudget()
    /// What to do with each kind of ending.
    public var retryRules = RetryRules()
    /// A deadline handled later than this means the process was not running. Default 2 s. Clamped to at least 1 s:
    /// timers are late by themselves, and a socket whose every deadline counts as missed would never be given up.
    public var suspensionThreshold: Duration = .seconds(2)
    /// The largest message in either direction, in bytes after decompression. Default 16 MiB. Larger ones close the
    /// socket with 1009 or are refused by `send`.
    public var maximumMessageBytes: Int = 16 << 20

    /// What makes the backoff start over. A rule of `RetryRules` can forbid it for an ending.
    public struct StartOver: Hashable, Sendable {
        /// A message arrived. Default true.
        public var afterMessage = true
        /// The socket was open this long, measured from the end of the opening handshake. Default 30 s; nil never.
        public var afterOpenFor: Duration? = .seconds(30)
        /// The network came back. Default true.
        public var afterNetworkReturn = true

        /// Makes the defaults.
        public init() {}
    }

    /// Makes the standard configuration.
    public init() {}

    /// The defaults of every property.
    public static let standard = Configuration()

    /// For fleets large enough to drown their servers. The first wave after a mass disconnect is four times flatter at
    /// the same mean delay, and only proven uptime earns a fresh start.
    public static let stormSafe: Configuration = {
        var configuration = Configuration()
        configuration.backoff.jitter = .window
        configuration.startOver.afterMessage = false
        configuration.startOver.afterNetworkReturn = false
        configuration.networkReturnDelay = .zero...(.seconds(1))
        return configuration
    }()
}
