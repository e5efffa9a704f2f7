package import ConnectionCore

/// A machine under test together with the model and the invariants it is held against.
package struct Run: Sendable {
    package private(set) var machine: ConnectionMachine
    package private(set) var model: ReferenceModel
    private var invariants: Invariants
    private var draws: Draws
    package internal(set) var now: Int64 = 0
    /// How many events the machine has handled.
    package private(set) var events = 0
    /// What the machine did in the last step; nil if it was told nothing.
    package private(set) var lastActions: Actions?
    let setting: Setting

    /// A fresh machine.
    package init(
        _ setting: Setting, app: AppState = .foreground, network: NetworkPath = .unknown, draws: Draws
    ) {
        self.setting = setting
        machine = ConnectionMachine(rules: setting.rules, app: app, network: network)
        let everyDraw: EndGenerator? =
            switch draws {
            case .seeded: nil
            case .end(let end): end
            }
        model = ReferenceModel(setting.numbers, app: app, network: network, everyDraw: everyDraw)
        invariants = Invariants(app: app, network: network)
        self.draws = draws
    }

    /// Follows a script from the start; nil if nothing is wrong, else what is and after how many steps.
    package static func violation(
        _ setting: Setting, app: AppState, network: NetworkPath, draws: Draws, _ steps: [Step]
    ) -> (step: Int, violation: Violation)? {
        var run = Run(setting, app: app, network: network, draws: draws)
        for (index, step) in steps.enumerated() {
            do { try run.perform(step) } catch { return (index, error) }
        }
        return nil
    }

    /// Takes a step and checks everything. The expensive checks, of handling twice, are made if `thorough`.
    package mutating func perform(_ step: Step, thorough: Bool = true) throws(Violation) {
        lastActions = nil
        switch step {
        case .wait(let time): now += max(0, time)
        case .wake(let late):
            guard let deadline = machine.nextDeadline?.nanoseconds else { return }
            now = max(now, deadline + late)
            try handle(.timeReached, thorough: thorough)
        case .event(let symbol): try handle(symbol.event(newest: machine.lastAttempt), thorough: thorough)
        }
    }

    /// Hands the event to the machine, the model and the invariants.
    @discardableResult
    package mutating func handle(_ event: ConnectionEvent, thorough: Bool = true) throws(Violation) -> Actions {
        if thorough { try deadAttemptsChangeNothing() }
        events += 1
        let instant = Instant(nanoseconds: now)
        let actions = machine.handle(event, at: instant, using: &draws)
        lastActions = actions
        let status = machine.status
        let deadline = machine.nextDeadline?.nanoseconds
        try invariants.step(event, at: now, actions: actions, status: status, deadline: deadline)
        try model.step(event, at: now, actions: actions, status: status, deadline: deadline)
        if thorough { try wakeUpsAreHarmless() }
        return actions
    }

    /// A fact of an attempt that is gone does what the passing of time would have done, and no more.
    private mutating func deadAttemptsChangeNothing() throws(Violation) {
        let newest = machine.lastAttempt.number
        guard newest > 1 else { return }
        let dead = AttemptID(newest - 1)
        let facts: [ConnectionEvent] = [
            .opened(dead), .messageReceived(dead), .frameReceived(dead), .readingPaused(dead), .readingResumed(dead),
            .ended(dead, .closedByPeer(.serviceRestart), retryAfter: nil),
            .ended(dead, .openingRefused(status: 503), retryAfter: .seconds(60)),
        ]
        let fact = facts[events % facts.count]
        var (untouched, told) = (machine, machine)
        var (first, second) = (draws, draws)
        let instant = Instant(nanoseconds: now)
        let expected = untouched.handle(.timeReached, at: instant, using: &first)
        let actions = told.handle(fact, at: instant, using: &second)
        guard told == untouched, actions == expected else {
            throw Violation("a dead attempt changes nothing", "\(fact): \(actions) and \(told.status)")
        }
    }

    /// Repeated and early wake-ups do nothing.
    private func wakeUpsAreHarmless() throws(Violation) {
        var again = machine
        var generator = draws
        let repeated = again.handle(.timeReached, at: Instant(nanoseconds: now), using: &generator)
        guard repeated == .none, again == machine else {
            throw Violation("repeated wake-ups are harmless", "\(repeated) and \(again.status)")
        }
        guard let deadline = machine.nextDeadline else { return }
        let early = again.handle(.timeReached, at: Instant(nanoseconds: deadline.nanoseconds - 1), using: &generator)
        guard early == .none, again.status == machine.status, again.nextDeadline == deadline else {
            throw Violation("early wake-ups are harmless", "\(early) and \(again.status)")
        }
    }

    /// What tells this run's future from another's: everything, with times relative to now and attempts to the newest.
    func fingerprint() -> Int {
        var hasher = Hasher()
        MachineKey(machine, at: now).hash(into: &hasher)
        model.relative(to: now).hash(into: &hasher)
        invariants.relative(to: now).hash(into: &hasher)
        return hasher.finalize()
    }
}
