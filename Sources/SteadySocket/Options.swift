public import Dispatch
public import SteadyTransport

/// What a connection is built from. Every part has a default that suits the platform.
public struct Options: Sendable {
    /// The serial queue that all state of the connection lives on. Default: main. A concurrent queue cannot be told from a
    /// serial one and is a programming error. Another queue must never wait for the main thread (`DispatchQueue.main.sync`
    /// in `log`, say) nor target the main queue: when the app goes to the background, the main thread waits for what the
    /// connection does about it.
    public var queue: DispatchQueue = .main
    /// Opens the sockets. Default: libcurl on Linux, `URLSession` on Apple platforms.
    public var transport: (any Transport)?
    /// Tells where the app is. Default: UIKit, AppKit, WatchKit or the host of an app extension; on Linux the process is
    /// always in the foreground.
    public var lifecycle: LifecycleOption = .system
    /// Tells about the network. Default: `NWPathMonitor` on Apple platforms, rtnetlink on Linux.
    public var networkPath: NetworkPathOption = .system
    /// Where time comes from.
    public var time: any TimeSource = SystemTime()
    /// Where jitter comes from.
    public var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    /// How many messages may wait for the slowest reader of `messages`; at this bound the socket is not read any further.
    /// Default 64; below 1 counts as 1.
    public var messageWindow = 64
    /// How many messages may wait in `send(_:whenOpen:)`. Default 64; a further one is refused with `.queueFull`.
    public var waitingMessages = 64
    /// How many bytes these may have together. Default 4 MiB. One message may wait whatever its size.
    public var waitingBytes = 4 << 20
    /// How many lines the decision log keeps. Default 256; below 0 counts as 0.
    public var decisionLogCapacity = 256
    /// Gets a line for each decision, on the connection's queue. Default: none.
    public var log: (@Sendable (LogEntry) -> Void)?

    /// Where to learn from where the app is.
    public enum LifecycleOption: Sendable {
        /// The platform's own source.
        case system
        /// This source, of this connection alone; a `ManualLifecycle` for hosts that know better than the platform.
        case custom(any AppLifecycle)
        /// None: always in the foreground.
        case ignored
    }

    /// Where to learn about the network from.
    public enum NetworkPathOption: Sendable {
        /// The platform's own source.
        case system
        /// This source.
        case monitor(any NetworkPathMonitor)
        /// None: attempts are made whatever the network.
        case ignored
    }

    /// Makes the defaults.
    public init() {}
}
