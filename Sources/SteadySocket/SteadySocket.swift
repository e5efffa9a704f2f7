public import ConnectionCore
public import SteadyTransport

#if os(Linux)
import CurlTransport
#else
import URLSessionTransport
#endif

/// Keeps one healthy WebSocket for the channel that was asked for last, for as long as that makes sense.
///
/// Every method returns at once and may be called from any thread; calls take effect in the order they were made. All
/// state lives on `Options.queue`. Releasing the last reference closes the socket with 1000.
public final class SteadySocket: Sendable {
    private let driver: ConnectionDriver
    private static let nextSend = Locked<UInt64>(0)

    /// Makes a connection that asks for nothing yet.
    public init(configuration: Configuration = .standard, options: Options = Options()) {
        driver = ConnectionDriver(
            configuration: configuration, options: options, transport: options.transport ?? Self.platformTransport(),
            lifecycle: Self.lifecycle(options.lifecycle), path: Self.monitor(options.networkPath))
        driver.start()
    }

    deinit { driver.submit(.release) }

    // MARK: Asking

    /// Asks for a channel. The socket opens once no other channel was asked for during the quiet window
    /// (`Configuration.askQuietWindow`); a socket for another channel closes with 1000 first. Asking for the channel that
    /// is already served changes nothing.
    public func connect(to channel: Channel) { driver.submit(.ask(channel)) }

    /// Closes the socket with 1000 and asks for nothing any more.
    public func disconnect() { driver.submit(.disconnect(.disconnected)) }

    /// Closes the socket with this code and reason, and asks for nothing any more.
    ///
    /// - Throws: `ConnectionError` with `.invalidCloseCode` if the code may not be sent, `.invalidCloseReason` if the
    ///   reason has more than 123 bytes; the connection goes on then.
    public func disconnect(code: CloseCode, reason: String = "") throws(ConnectionError) {
        try RequestRules.check(closeCode: code, reason: reason)
        driver.submit(.disconnect(.disconnected, code: code, reason: reason))
    }

    /// Closes the socket with 1001, for a process that was told to exit, and asks for nothing any more. Wait for the
    /// status `.idle` before exiting.
    public func shutDown() { driver.submit(.disconnect(.exiting)) }

    // MARK: Sending

    /// Sends a message and returns when it was handed to the network.
    ///
    /// - Throws: `ConnectionError` with `.notOpen`, `.queueFull`, `.messageTooBig` or `.closed`.
    public func send(_ message: Message) async throws(ConnectionError) {
        try await submit(message, deadline: nil)
    }

    /// Sends a message as soon as a socket is open, and returns when it was handed to the network. Waiting messages keep
    /// their order. Sent at most once: a message that was given to a socket is not sent again on the next.
    ///
    /// - Parameters:
    ///   - message: what to send.
    ///   - wait: how long to wait for an open socket, measured from this call.
    /// - Throws: `ConnectionError` with `.timedOut`, `.queueFull` (see `Options.waitingMessages`), `.messageTooBig`,
    ///   `.closed` (also by `disconnect`) or `.cancelled`.
    public func send(_ message: Message, whenOpen wait: Duration) async throws(ConnectionError) {
        try await submit(message, deadline: driver.now + max(wait, .zero))
    }

    private func submit(_ message: Message, deadline: Instant?) async throws(ConnectionError) {
        let id = Self.nextSendID()
        let driver = driver
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                driver.submit(
                    .send(
                        OutgoingMessage(id: id, message: message, deadline: deadline) {
                            continuation.resume(returning: $0)
                        }))
                // Cancelled before it was submitted: the cancellation above found nothing to cancel.
                if Task.isCancelled { driver.submit(.cancelSend(id)) }
            }
        } onCancel: {
            driver.submit(.cancelSend(id))
        }
        if let error { throw error }
    }

    /// The same for callers that cannot wait: `completion` gets what `send` would throw, exactly once, on any thread.
    package func send(
        _ message: Message, whenOpen wait: Duration?, completion: @escaping @Sendable (ConnectionError?) -> Void
    ) {
        let deadline = wait.map { driver.now + max($0, .zero) }
        driver.submit(
            .send(
                OutgoingMessage(
                    id: Self.nextSendID(), message: message, deadline: deadline, completion: completion)))
    }

    private static func nextSendID() -> UInt64 {
        nextSend.withLock { next in
            next += 1
            return next
        }
    }

    // MARK: Watching

    /// What the connection is doing, why, and what happens next. A snapshot; never waits for the queue.
    public var status: ConnectionStatus { driver.publisher.status }

    /// The status now and every change from now on. A slow reader keeps the newest 64.
    public var statuses: AsyncStream<ConnectionStatus> { driver.publisher.statuses() }

    /// How much it did since it was made. A snapshot; never waits for the queue.
    public var counts: ConnectionCounts { driver.publisher.counts }

    /// The messages that arrive, for one observer. Nothing is dropped, so somebody has to read: while nobody does, no
    /// more than `Options.messageWindow` messages are taken from the socket, and its pings and its close behind them wait
    /// too. See `Messages`.
    public var messages: Messages { Messages(hub: driver.hub) }

    /// What happens from now on. A slow reader keeps the newest 256.
    public var events: AsyncStream<SocketEvent> { driver.publisher.events() }

    /// The newest decisions, oldest first (`Options.decisionLogCapacity`): why every socket opened, closed or waited.
    public var decisions: [Decision] { driver.publisher.decisions }

    /// The present on the line that `ConnectionStatus` and `Decision` count on.
    public var now: Instant { driver.now }

    // MARK: Defaults of the platform

    private static func platformTransport() -> any Transport {
        #if os(Linux)
        CurlTransport()
        #else
        URLSessionTransport()
        #endif
    }

    package static func lifecycle(_ option: Options.LifecycleOption) -> (any AppLifecycle)? {
        switch option {
        case .ignored: nil
        case .custom(let lifecycle): lifecycle
        case .system: SystemLifecycle.make()
        }
    }

    #if canImport(Network)
    private static let systemPath = SharedNetworkPath.Watch { SystemPathMonitor() }
    #elseif os(Linux)
    private static let systemPath = SharedNetworkPath.Watch { RouteNetlinkMonitor() }
    #endif

    private static func monitor(_ option: Options.NetworkPathOption) -> (any NetworkPathMonitor)? {
        switch option {
        case .ignored: return nil
        case .monitor(let monitor): return monitor
        case .system:
            #if canImport(Network) || os(Linux)
            return SharedNetworkPath(systemPath)
            #else
            return nil
            #endif
        }
    }
}
