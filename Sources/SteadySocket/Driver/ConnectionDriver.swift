import ConnectionCore
import Dispatch
import SteadyTransport

/// Runs one machine: carries facts to it and its actions out, on one queue.
///
/// `@unchecked Sendable` holds because every stored variable is touched on `home.queue` only (`process` checks it);
/// `inbox`, `hub` and `publisher` have locks of their own and the rest never changes.
final class ConnectionDriver: @unchecked Sendable {
    enum Input: Sendable {
        case ask(Channel)
        case disconnect(LocalCloseCause, code: CloseCode? = nil, reason: String? = nil)
        case release
        case app(AppState)
        case backgroundTimeExpired
        case path(NetworkPath)
        case request(AttemptID, Result<ConnectionRequest, ConnectionError>)
        case fact(AttemptID, TransportFact)
        case send(OutgoingMessage)
        case cancelSend(UInt64)
        case roomMade
        case wakeUp
    }

    /// The newest attempt, until it has ended.
    struct Live {
        let attempt: AttemptID
        var socket: (any TransportSocket)?
        var provider: Task<Void, Never>?
        var isOpen = false
        /// Whether it ever was open.
        var wasOpen = false
        var closing: LocalCloseCause?
        /// When `closing` was set.
        var closingSince = Instant.zero
        /// Whether a sign of life waits in the inbox. One is as good as many, and nothing else bounds how many of them a
        /// peer sends while the queue is busy.
        let signOfLifeWaits = Locked(false)
        /// How many messages the transport may still report.
        var granted = 0
        var readingPaused = false
    }

    let home: Confinement
    let options: Options
    let transport: any Transport
    let limits: TransportLimits
    let publisher: Publisher
    private(set) var hub: MessageHub!
    private let inbox: Inbox<Input>
    let lifecycle: (any AppLifecycle)?
    private let path: (any NetworkPathMonitor)?

    private var machine: ConnectionMachine
    private var generator: any RandomNumberGenerator & Sendable
    private var wakeUp: (any WakeUp)?
    private var armedAt: Instant?
    var channel: Channel?
    var live: Live?
    var waiting: WaitingSends
    /// The code and text that `disconnect(code:reason:)` asked for.
    var closeOverride: (code: CloseCode, reason: String)?
    var lastSocketEnd: Instant?
    private var released = false
    private var finished = false
    /// Holds the driver from the release of the handle until its socket is closed.
    private var untilClosed: ConnectionDriver?

    init(
        configuration: Configuration, options: Options, transport: any Transport,
        lifecycle: (any AppLifecycle)? = nil, path: (any NetworkPathMonitor)?
    ) {
        home = Confinement(options.queue)
        inbox = Inbox(home: home)
        self.options = options
        self.transport = transport
        self.lifecycle = lifecycle
        self.path = path
        limits = TransportLimits(
            maximumMessageBytes: max(0, configuration.maximumMessageBytes),
            openingHandshake: max(.zero, configuration.timeouts.openingHandshake),
            closingHandshake: max(.zero, configuration.timeouts.closingHandshake))
        machine = ConnectionMachine(configuration: configuration)
        generator = options.generator
        waiting = WaitingSends(
            maximumCount: max(0, options.waitingMessages), maximumBytes: max(0, options.waitingBytes))
        publisher = Publisher(capacity: options.decisionLogCapacity, log: options.log)
        hub = MessageHub { [weak self] in self?.submit(.roomMade) }
    }

    /// Starts listening to the world. Called once, by the owner.
    func start() {
        lifecycle?.start { [weak self] state in
            // Background time is asked for before the system's notification is over: it may suspend the process then.
            if state == .background, Confinement.main.isCurrent {
                self?.takeIn(.app(state))
            } else {
                self?.submit(.app(state))
            }
        }
        path?.start { [weak self] in self?.submit(.path($0)) }
    }

    /// Any thread; see `Inbox`.
    func submit(_ input: Input) { inbox.submit(input) { self.process($0) } }

    /// Like `submit`, but the input has taken effect before this returns, on whatever thread. The connection's queue must
    /// not wait for that thread meanwhile; `Options.queue` says so for the main thread.
    func takeIn(_ input: Input) {
        if home.isCurrent { submit(input) } else { home.queue.sync { submit(input) } }
    }

    var now: Instant { options.time.now }

    private func process(_ batch: [Input]) {
        dispatchPrecondition(condition: .onQueue(home.queue))
        for input in batch { handle(input) }
        if released, live == nil { finish() }
        rearm()
    }

    private func handle(_ input: Input) {
        switch input {
        case .ask(let channel):
            // Not only the identity counts: a channel with newer credentials serves the next attempt.
            self.channel = channel
            publisher.record(.asked(channel.id), at: now)
            apply(.ask(channel.id))
        case .disconnect(let cause, let code, let reason):
            channel = nil
            closeOverride = code.map { ($0, reason ?? "") }
            apply(.disconnect(cause))
            closeOverride = nil
            fail(
                waiting.takeAll(),
                with: ConnectionError(.closed, "the connection was closed while the message waited for it to open"))
        case .release:
            released = true
            untilClosed = self
            channel = nil
            apply(.disconnect(.released))
        case .app(.background): apply(.enteredBackground)
        case .app(.foreground):
            apply(.enteredForeground)
            path?.restart()
        case .backgroundTimeExpired: apply(.backgroundTimeExpired)
        case .path(let path): apply(.pathChanged(path))
        case .request(let attempt, let result): requestMade(result, for: attempt)
        case .fact(let attempt, let fact):
            // The one place where what a dead attempt still says is dropped.
            if live?.attempt == attempt { factReported(fact, by: attempt) }
        case .send(let outgoing): send(outgoing)
        case .cancelSend(let id):
            fail(
                waiting.take { $0.id == id },
                with: ConnectionError(.cancelled, "the task was cancelled while the message waited"))
        case .roomMade: grantReading()
        case .wakeUp:
            armedAt = nil
            apply(.timeReached)
            expireSends()
        }
    }

    /// Mutate, then act.
    func apply(_ event: ConnectionEvent) {
        let now = now
        let actions = machine.handle(event, at: now, using: &generator)
        guard actions != .none else { return }
        perform(actions, at: now)
        guard actions.statusChanged else { return }
        let status = machine.status
        publisher.record(.status(status), at: now)
        publisher.publish(status)
    }

    /// One timer for everything, moved only when it must fire earlier or is not set.
    private func rearm() {
        guard !finished else { return }
        let deadlines = [machine.nextDeadline, waiting.nextDeadline].compactMap { $0 }
        guard let due = deadlines.min() else {
            if armedAt != nil { wakeUp?.disarm() }
            armedAt = nil
            return
        }
        if let armedAt, armedAt <= due { return }
        if wakeUp == nil {
            wakeUp = options.time.makeWakeUp(on: home.queue) { [weak self] in self?.submit(.wakeUp) }
        }
        armedAt = due
        wakeUp?.arm(at: due)
    }

    private func finish() {
        guard !finished else { return }
        finished = true
        fail(waiting.takeAll(), with: ConnectionError(.closed, "the connection was released"))
        wakeUp?.disarm()
        wakeUp = nil
        lifecycle?.stop()
        path?.stop()
        publisher.finish()
        hub.finish()
        untilClosed = nil
    }
}
