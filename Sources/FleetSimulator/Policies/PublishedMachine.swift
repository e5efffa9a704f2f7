package import ConnectionCore

/// Runs a `PublishedPolicy`. Simpler than `ConnectionMachine`: no gates, no keepalive, no closing handshake to wait for.
package struct PublishedMachine: Agent {
    private enum Phase: UInt8 {
        case idle
        case waiting
        case opening
        case open
    }

    private let policy: PublishedPolicy
    private var phase = Phase.idle
    private var inBackground = false
    private var failures: Int32 = 0
    private var attempt: UInt64 = 0
    /// The end of the wait or of the opening handshake.
    private var due = Int64.max
    private var grace = Int64.max
    private var asked: ChannelID?

    package init(following rules: PublishedPolicy) { policy = rules }

    package var nextDeadline: Instant? {
        let next = min(due, grace)
        return next == .max ? nil : Instant(nanoseconds: next)
    }

    package static func recordedCode(for cause: LocalCloseCause, _ rules: PublishedPolicy) -> CloseCode {
        rules.closeCode
    }

    package mutating func handle(
        _ event: ConnectionEvent, at now: Instant, using generator: inout some RandomNumberGenerator
    ) -> Actions {
        var actions = Actions()
        expire(at: now, using: &generator, &actions)
        switch event {
        case .ask(let channel): ask(channel, at: now, &actions)
        case .disconnect(let cause):
            drop(because: cause, &actions)
            asked = nil
        case .opened(let number):
            guard phase == .opening, number.number == attempt else { break }
            phase = .open
            failures = 0
            due = .max
        case .ended(let number, _, let retryAfter):
            guard phase == .opening || phase == .open, number.number == attempt else { break }
            fail(at: now, retryAfter: retryAfter, using: &generator)
        case .enteredBackground:
            inBackground = true
            guard phase != .idle, let seconds = policy.backgroundGrace else { break }
            grace = now.nanoseconds + nanoseconds(seconds)
            actions.backgroundTime = .begin
        case .enteredForeground:
            inBackground = false
            if grace != .max { actions.backgroundTime = .end }
            grace = .max
            if phase == .idle, asked != nil { open(at: now, &actions) }
        case .backgroundTimeExpired:
            guard grace != .max else { break }
            drop(because: .stayedInBackground, &actions)
            actions.backgroundTime = .end
        case .pathChanged(let path):
            if case .online = path, policy.watchesPath, phase == .waiting { open(at: now, &actions) }
        case .messageReceived, .frameReceived, .readingPaused, .readingResumed, .timeReached: break
        }
        return actions
    }

    private mutating func ask(_ channel: ChannelID, at now: Instant, _ actions: inout Actions) {
        let same = channel == asked
        asked = channel
        switch phase {
        case .idle, .waiting: open(at: now, &actions)
        case .opening, .open:
            switch policy.sameIdentity {
            case .keepsSocket where same: break
            case .keepsSocket, .reconnects:
                drop(because: .replaced, &actions)
                open(at: now, &actions)
            }
        }
    }

    private mutating func expire(
        at now: Instant, using generator: inout some RandomNumberGenerator, _ actions: inout Actions
    ) {
        if grace <= now.nanoseconds {
            drop(because: .stayedInBackground, &actions)
            actions.backgroundTime = .end
        }
        guard due <= now.nanoseconds else { return }
        switch phase {
        case .idle, .open: due = .max
        case .waiting: open(at: now, &actions)
        case .opening:
            actions.abandon = AttemptID(attempt)
            fail(at: now, retryAfter: nil, using: &generator)
        }
    }

    private mutating func open(at now: Instant, _ actions: inout Actions) {
        attempt += 1
        phase = .opening
        due = now.nanoseconds + nanoseconds(policy.connectTimeout)
        actions.open = Actions.Open(attempt: AttemptID(attempt), refused: false)
    }

    private mutating func drop(because cause: LocalCloseCause, _ actions: inout Actions) {
        if phase == .opening || phase == .open {
            actions.close = Actions.Close(attempt: AttemptID(attempt), cause: cause)
        }
        phase = .idle
        due = .max
        grace = .max
    }

    private mutating func fail(
        at now: Instant, retryAfter: Duration?, using generator: inout some RandomNumberGenerator
    ) {
        if failures < 10_000 { failures += 1 }
        var wait = policy.delay(failure: Int(failures), using: &generator)
        if let told = retryAfter?.inSeconds, told > 0 {
            switch policy.retryAfter {
            case .ignored: break
            case .exact: wait = told
            case .spread(let width): wait = told + Double(generator.next() >> 11) * 0x1p-53 * width
            }
        }
        phase = .waiting
        due = now.nanoseconds + nanoseconds(wait)
    }

    private func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }
}
