/// One logical connection: decides when to open, ping, close and wait. Pure.
///
/// Facts, time and randomness come in through `handle`; what to do comes out as `Actions`, and one deadline as
/// `nextDeadline`. The contract with the caller:
///
/// * Instants never go backwards. Call `handle(.timeReached, …)` no later than `nextDeadline`; early, late and repeated
///   calls are harmless, because every event first expires what is overdue at its instant. A deadline noticed more than
///   `Configuration.suspensionThreshold` late means that the process was not running.
/// * Carry the actions out in the order of their properties before the next event is handled.
/// * Report every attempt's end exactly once with `.ended`. After `abandon` the report is optional: the attempt is over.
/// * Not thread-safe: one owner, who calls from one place at a time.
///
/// ```
/// idle ──ask──▶ waiting ──until──▶ opening ──opened──▶ open
///   ▲            ▲  │ ▲               │                 │ │
///   │   gates    │  │ └──failed───────┴────────failed───┘ │
///   │   open     │  ▼ gates shut                          │
///   │           held ◀──── closed, gates shut ──┐         │
///   └────── disconnected ───────────────────── closing ◀──┘ close
/// ```
public struct ConnectionMachine: Hashable, Sendable {
    // In an order that leaves few gaps: a simulated fleet holds a million machines.

    /// The numbers it goes by.
    public let rules: MachineRules
    /// The channel asked for last; nil after a disconnect and before the first ask.
    public internal(set) var asked: ChannelID?
    /// The number of the newest attempt.
    public internal(set) var lastAttempt = AttemptID(0)
    package internal(set) var deadlines = Deadlines()
    /// When the burst of asks began whose quiet window is running.
    @Compact package internal(set) var burstStart: Instant?
    /// The next attempt is not due before this, for this reason.
    package internal(set) var dueAt = Instant(nanoseconds: .min)
    /// When the budget would be full again but for its slack (the theoretical arrival time of GCRA).
    package internal(set) var budgetFullAt = Instant(nanoseconds: .min)
    /// What servers demanded, at most once per origin; each holds for every channel of its origin, whatever else
    /// happens. Empty in all but bad times, so that it costs no allocation.
    package internal(set) var demands: [ServerDemand] = []
    package internal(set) var state = State.idle
    package internal(set) var app: AppState
    /// The next attempt tells the provider that the server refused.
    package internal(set) var refreshNext = false
    package internal(set) var hasBackgroundTime = false
    package internal(set) var failures: Int32 = 0
    package internal(set) var dueReason = WaitReason.quietWindow
    package internal(set) var refusals: Int32 = 0
    package internal(set) var network: NetworkPath
    /// The refusal after which no attempt is made.
    package internal(set) var stopped: DisconnectReason?

    package struct ServerDemand: Hashable, Sendable {
        package var origin: String
        package var until: Instant
        package var reason: WaitReason
    }

    /// Makes an idle connection.
    ///
    /// - Parameters:
    ///   - rules: the numbers, which machines may share.
    ///   - app: `.background` for an app launched into the background: nothing opens until the foreground.
    ///   - network: what is known at the start.
    public init(rules: MachineRules, app: AppState = .foreground, network: NetworkPath = .unknown) {
        self.rules = rules
        self.app = app
        self.network = network
    }

    /// Makes an idle connection with a configuration of its own.
    public init(
        configuration: Configuration = .standard, app: AppState = .foreground, network: NetworkPath = .unknown
    ) {
        self.init(rules: MachineRules(configuration), app: app, network: network)
    }

    /// Takes in one event. The generator is drawn from when a wait needs jitter.
    public mutating func handle(
        _ event: ConnectionEvent, at now: Instant, using generator: inout some RandomNumberGenerator
    ) -> Actions {
        var actions = Actions()
        expire(at: now, using: &generator, &actions)
        switch event {
        case .ask(let channel): ask(for: channel, at: now)
        case .disconnect(let cause): disconnect(because: cause, at: now, &actions)
        case .opened(let attempt): opened(attempt, at: now, &actions)
        case .messageReceived(let attempt): heard(from: attempt, message: true)
        case .frameReceived(let attempt): heard(from: attempt, message: false)
        case .readingPaused(let attempt): readingChanged(attempt, paused: true)
        case .readingResumed(let attempt): readingChanged(attempt, paused: false)
        case .ended(let attempt, let reason, let retryAfter):
            ended(attempt, reason, retryAfter: retryAfter, at: now, using: &generator, &actions)
        case .enteredBackground: enteredBackground(at: now, &actions)
        case .enteredForeground: enteredForeground(at: now, &actions)
        case .backgroundTimeExpired: backgroundTimeExpired(at: now, &actions)
        case .pathChanged(let path): pathChanged(to: path, at: now, using: &generator, &actions)
        case .timeReached: break
        }
        reconcile(at: now, &actions)
        return actions
    }

    /// When `handle(.timeReached, …)` must be called at the latest; nil if only an event can change anything.
    public var nextDeadline: Instant? {
        switch state {
        case .idle, .held: nil
        case .waiting(let waiting): waiting.until
        case .opening, .open: deadlines.earliestOfSocket
        case .closing: deadlines.closing
        }
    }

    /// What the connection is doing, why, and what happens next.
    public var status: ConnectionStatus {
        switch state {
        case .idle: .idle
        case .waiting(let waiting): .waiting(waiting.reason, delay: waiting.until - waiting.since, until: waiting.until)
        case .opening(let opening): .opening(opening.attempt)
        case .open(let open): .open(open.attempt)
        case .closing(let closing): .closing(closing.attempt, closing.cause)
        case .held(let reason): .held(reason)
        }
    }

    /// The channel of the socket that is opening or open.
    package var liveChannel: ChannelID? {
        switch state {
        case .opening(let opening): opening.channel
        case .open(let open): open.channel
        case .idle, .waiting, .closing, .held: nil
        }
    }

    /// Handles every deadline that is overdue, so that the order of timers and I/O does not matter.
    private mutating func expire(
        at now: Instant, using generator: inout some RandomNumberGenerator, _ actions: inout Actions
    ) {
        if let ask = deadlines.ask, ask <= now {
            deadlines.ask = nil
            burstStart = nil
        }
        guard let due = nextDeadline, due <= now else { return }
        switch state {
        case .idle, .held, .waiting: break
        case .closing(let closing): expireClosing(closing, at: now, using: &generator, &actions)
        case .opening: expireOpening(at: now, &actions)
        case .open(let open): expireOpen(open, at: now, &actions)
        }
    }

    /// Moves the state to where facts and gates say it should be. All gates are checked here, at every event.
    private mutating func reconcile(at now: Instant, _ actions: inout Actions) {
        switch state {
        case .closing: break
        case .opening, .open: replaceIfNeeded(at: now, &actions)
        case .idle, .waiting, .held: pursue(at: now, &actions)
        }
        if hasBackgroundTime {
            let socketGone =
                switch state {
                case .idle, .waiting, .held: true
                case .opening, .open, .closing: false
                }
            if socketGone || app == .foreground { endBackgroundTime(&actions) }
        }
    }

    mutating func enter(_ next: State, _ actions: inout Actions) {
        guard next != state else { return }
        state = next
        actions.statusChanged = true
    }
}
