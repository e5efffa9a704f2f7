import Dispatch
import SteadySocket

/// Runs one session: one HTTP call at a time, and the socket for what the calls yield.
///
/// `@unchecked Sendable` holds because every stored variable is touched on `home.queue` only (`process` checks it);
/// `inbox` and `publisher` have locks of their own and the rest never changes.
final class SessionDriver: @unchecked Sendable {
    typealias Fields = [String: JSONValue]

    enum Input: Sendable {
        case start
        case identify(Fields)
        case update(Fields)
        case clear
        case connect(Channel)
        case stop(exiting: Bool)
        case release
        case app(AppState)
        case answer(UInt64, Result<HTTPAnswer, GleapError>)
        case wakeUp
    }

    /// The call under way, until it has succeeded or is given up.
    struct Call {
        var operation: GleapOperation
        var fields: Fields = [:]
        var failures = 0
        /// The stored credentials were refused; this start is made without.
        var fresh = false
        /// Set while a request is out: its number, when it is given up, and what cancels it.
        var request: (id: UInt64, deadline: Instant, cancel: (@Sendable () -> Void)?)?
        /// Set between two attempts.
        var retryAt: Instant?
    }

    let home: Confinement
    let api: SessionAPI
    let options: GleapOptions
    let http: any HTTPClient
    let store: any IdentityStore
    let socket: SteadySocket
    let publisher: SessionPublisher
    private let inbox: Inbox<Input>

    var generator: any RandomNumberGenerator & Sendable
    private var wakeUp: (any WakeUp)?
    var lastRequest: UInt64 = 0

    var running = false
    var loaded = false
    /// Who this process is; from the store at first, then from the service.
    var session: GleapSession?
    /// What the service was told of this contact and has acknowledged.
    var told: Fields = [:]
    /// Whether the service has answered the start of this session.
    var confirmed = false
    /// Why the start was given up.
    var startError: GleapError?
    var call: Call?
    /// What waits for its turn: at most one call of each kind, the update first.
    var pendingUpdate: Fields?
    var pendingIdentify: Fields?
    /// The channel to ask for, and whether that is still to be done.
    var wanted: Channel?
    var askPending = false

    init(configuration: GleapConfiguration, options: GleapOptions, http: any HTTPClient, store: any IdentityStore) {
        api = SessionAPI(configuration: configuration)
        home = Confinement(options.connection.queue)
        inbox = Inbox(home: home)
        self.options = options
        self.http = http
        self.store = store
        generator = options.connection.generator
        publisher = SessionPublisher()
        var connection = options.connection
        let tap = SteadySocket.lifecycle(connection.lifecycle).map(LifecycleTap.init)
        connection.lifecycle = tap.map { .custom($0) } ?? .ignored
        socket = SteadySocket(configuration: configuration.connection, options: connection)
        tap?.forward { [weak self] in self?.submit(.app($0)) }
    }

    /// Starts reading the socket. Called once, by the owner.
    func begin() {
        let (messages, publisher) = (socket.messages, publisher)
        Task { for await message in messages { publisher.received(message) } }
    }

    /// Any thread; see `Inbox`.
    func submit(_ input: Input) { inbox.submit(input) { self.process($0) } }

    var now: Instant { options.connection.time.now }

    private func process(_ batch: [Input]) {
        dispatchPrecondition(condition: .onQueue(home.queue))
        for input in batch {
            handle(input)
            settleAsk()
        }
        rearm()
    }

    private func handle(_ input: Input) {
        switch input {
        case .start:
            load()
            running = true
            startError = nil
            // Not only after a start: a socket that was refused is asked for again.
            if session != nil { want() }
            step()
        case .identify(let fields):
            startError = nil
            enqueueIdentify(fields)
            step()
        case .update(let fields):
            enqueueUpdate(fields)
            step()
        case .clear:
            forget()
            step()
        case .connect(let channel):
            wanted = channel
            askPending = true
        case .stop(let exiting): stop(exiting: exiting)
        case .release:
            stop(exiting: false)
            wakeUp?.disarm()
            wakeUp = nil
            publisher.finish()
        case .app(.background): break
        case .app(.foreground):
            guard running, startError != nil else { return }
            startError = nil
            step()
        case .answer(let id, let result):
            // The one place where what a cancelled request still says is dropped.
            if call?.request?.id == id { answered(result) }
        case .wakeUp: timeReached()
        }
    }

    private func rearm() {
        guard let due = call?.request?.deadline ?? call?.retryAt else {
            wakeUp?.disarm()
            return
        }
        if wakeUp == nil {
            wakeUp = options.connection.time.makeWakeUp(on: home.queue) { [weak self] in self?.submit(.wakeUp) }
        }
        wakeUp?.arm(at: due)
    }

    private func stop(exiting: Bool) {
        running = false
        confirmed = false
        startError = nil
        dropCalls()
        wanted = nil
        askPending = false
        if exiting { socket.shutDown() } else { socket.disconnect() }
        set(.stopped)
    }

    func dropCalls() {
        call?.request?.cancel?()
        call = nil
        pendingUpdate = nil
        pendingIdentify = nil
    }

    func set(_ state: SessionState) {
        guard publisher.setState(state) else { return }
        log(.debug, "session state changed", ["session.state": state.description])
    }

    func log(_ level: LogEntry.Level, _ message: String, _ metadata: [String: String] = [:]) {
        options.connection.log?(LogEntry(level: level, message: message, metadata: metadata))
    }
}

/// Passes everything on to the app's own lifecycle, and its reports to a second listener.
private final class LifecycleTap: AppLifecycle {
    private let base: any AppLifecycle
    private let listener = Locked<(@Sendable (AppState) -> Void)?>(nil)

    init(_ base: any AppLifecycle) { self.base = base }

    func forward(to listener: @escaping @Sendable (AppState) -> Void) { self.listener.withLock { $0 = listener } }

    func start(_ report: @escaping @Sendable (AppState) -> Void) {
        base.start { [listener] state in
            report(state)
            listener.withLock { $0 }?(state)
        }
    }

    func stop() { base.stop() }
    func beginBackgroundTime(expired: @escaping @Sendable () -> Void) { base.beginBackgroundTime(expired: expired) }
    func endBackgroundTime() { base.endBackgroundTime() }
}
