package import ConnectionCore

/// What must hold whatever happens, checked from the outside: events in, actions, status and deadline out.
///
/// It knows nothing of waits and retries, only what the promise of the library forbids.
package struct Invariants: Hashable, Sendable {
    private var inBackground: Bool
    private var offline: Bool
    private var asked: ChannelID?
    /// Held after a refusal, until the next ask or foreground.
    private var refused = false
    private var live: Live?
    private var lastAttempt: UInt64 = 0
    private var hasBackgroundTime = false
    private var status = ConnectionStatus.idle
    /// When the last attempts started, oldest first.
    private var starts: [Int64] = []

    private struct Live: Hashable, Sendable {
        var attempt: AttemptID
        var isOpen = false
        var closeSentAt: Int64?
    }

    private static let second: Int64 = 1_000_000_000
    private static let burst = 10
    private static let tokenEvery = 10 * second
    private static let closingTime = 2 * second
    /// Nothing waits longer: the longest demand, doubled.
    private static let longestWait = 600 * second

    package init(app: AppState, network: NetworkPath) {
        inBackground = app == .background
        offline = network == .offline
    }

    package mutating func step(
        _ event: ConnectionEvent, at now: Int64, actions: Actions, status after: ConnectionStatus, deadline: Int64?
    ) throws(Violation) {
        if let abandoned = actions.abandon { try abandon(abandoned, at: now) }
        world(event)
        if let ping = actions.ping {
            guard let live, live.attempt == ping, live.isOpen, live.closeSentAt == nil, actions.close == nil else {
                throw Violation("keepalive only with an open socket", "pings \(ping) in \(status)")
            }
        }
        if let close = actions.close { try closes(close, at: now) }
        if let open = actions.open { try opens(open, at: now) }
        if let time = actions.backgroundTime { try backgroundTime(time) }
        guard actions.statusChanged == (after != status) else {
            throw Violation("status changes are told", "told \(actions.statusChanged) from \(status) to \(after)")
        }
        status = after
        try statusFits()
        try bounded(deadline, at: now)
        if case .held(.refused) = after { refused = true }
    }

    private mutating func world(_ event: ConnectionEvent) {
        switch event {
        case .ask(let channel):
            if refused || channel != asked { refused = false }
            asked = channel
        case .disconnect:
            asked = nil
            refused = false
        case .opened(let attempt):
            // Too late if the close is on its way: still no open socket.
            if attempt == live?.attempt, live?.closeSentAt == nil { live?.isOpen = true }
        case .ended(let attempt, _, _):
            if attempt == live?.attempt { live = nil }
        case .enteredBackground: inBackground = true
        case .enteredForeground:
            if inBackground { refused = false }
            inBackground = false
        case .pathChanged(let path): offline = path == .offline
        case .messageReceived, .frameReceived, .readingPaused, .readingResumed, .backgroundTimeExpired, .timeReached:
            break
        }
    }

    private mutating func abandon(_ attempt: AttemptID, at now: Int64) throws(Violation) {
        guard let sentAt = live?.closeSentAt, live?.attempt == attempt else {
            throw Violation("every socket we end carries a code", "abandons \(attempt) without a close before")
        }
        guard now - sentAt >= Self.closingTime else {
            throw Violation("a close gets its time", "abandons \(attempt) after \(now - sentAt) ns")
        }
        live = nil
    }

    private mutating func closes(_ close: Actions.Close, at now: Int64) throws(Violation) {
        guard let live, live.attempt == close.attempt, live.closeSentAt == nil else {
            throw Violation("a socket is closed once", "closes \(close.attempt) in \(status)")
        }
        guard close.code == .normalClosure || close.code == .goingAway else {
            throw Violation("every socket we end carries a code", "closes with \(close.code)")
        }
        let away = close.cause == .stayedInBackground || close.cause == .exiting
        guard (close.code == .goingAway) == away else {
            throw Violation("the server knows why", "closes with \(close.code) because \(close.cause)")
        }
        self.live?.closeSentAt = now
    }

    private mutating func opens(_ open: Actions.Open, at now: Int64) throws(Violation) {
        guard live == nil, actionsAreFresh(open) else {
            throw Violation("at most one live socket", "opens \(open.attempt) in \(status)")
        }
        guard let asked else { throw Violation("no open while unasked", "opens \(open.attempt)") }
        guard !inBackground else { throw Violation("no open while in the background", "opens \(open.attempt)") }
        guard !offline || !asked.needsNetwork else { throw Violation("no open while offline", "opens \(open.attempt)") }
        guard !refused else { throw Violation("no open while refused", "opens \(open.attempt)") }
        live = Live(attempt: open.attempt)
        lastAttempt = open.attempt.number
        starts.append(now)
        // Over every window that ends now: a burst, and one more for each interval.
        for (index, start) in starts.enumerated() {
            let count = starts.count - index
            guard count > Self.burst else { break }
            guard Int64(count - Self.burst) * Self.tokenEvery <= now - start else {
                throw Violation("no open faster than the budget", "\(count) attempts in \(now - start) ns")
            }
        }
        if starts.count > 64 { starts.removeFirst(32) }
    }

    private func actionsAreFresh(_ open: Actions.Open) -> Bool { open.attempt.number == lastAttempt + 1 }

    private mutating func backgroundTime(_ time: Actions.BackgroundTime) throws(Violation) {
        guard (time == .begin) != hasBackgroundTime else {
            throw Violation("background time begins and ends in turn", "\(time) in \(status)")
        }
        guard time == .end || (live != nil && inBackground) else {
            throw Violation("background time only for a socket", "begins in \(status)")
        }
        hasBackgroundTime = time == .begin
    }

    private func statusFits() throws(Violation) {
        let fits =
            switch status {
            case .idle: asked == nil && live == nil
            case .waiting: asked != nil && live == nil && !inBackground && !(offline && asked?.needsNetwork == true)
            case .opening(let attempt): live?.attempt == attempt && live?.isOpen == false && live?.closeSentAt == nil
            case .open(let attempt): live?.attempt == attempt && live?.isOpen == true && live?.closeSentAt == nil
            case .closing(let attempt, _): live?.attempt == attempt && live?.closeSentAt != nil
            case .held(.background): asked != nil && live == nil && inBackground
            case .held(.offline): asked?.needsNetwork == true && live == nil && offline
            case .held(.refused): asked != nil && live == nil && !inBackground
            }
        guard fits else {
            throw Violation("the status is true", "\(status), but socket \(live.map { "\($0)" } ?? "none")")
        }
        guard !hasBackgroundTime || (live != nil && inBackground) else {
            throw Violation("background time only for a socket", "kept in \(status)")
        }
    }

    /// Whoever waits for something waits for a bounded time.
    private func bounded(_ deadline: Int64?, at now: Int64) throws(Violation) {
        let needed =
            switch status {
            case .idle, .held: false
            case .waiting, .opening, .open, .closing: true
            }
        guard let deadline else {
            guard needed else { return }
            throw Violation("every wait has a bound", "no deadline in \(status)")
        }
        guard needed else { throw Violation("every wait has a bound", "a deadline in \(status)") }
        guard deadline > now, deadline - now <= Self.longestWait else {
            throw Violation("every wait has a bound", "\(status) wakes after \(deadline - now) ns")
        }
    }
}

extension Invariants {
    /// Times as seen from `now`, so that runs that differ in nothing else are the same.
    func relative(to now: Int64) -> Invariants {
        var relative = self
        relative.starts = []
        relative.lastAttempt = 0
        relative.status = .idle
        if let attempt = live?.attempt { relative.live?.attempt = AttemptID(attempt.number &- lastAttempt) }
        if let sentAt = live?.closeSentAt { relative.live?.closeSentAt = sentAt - now }
        return relative
    }
}
