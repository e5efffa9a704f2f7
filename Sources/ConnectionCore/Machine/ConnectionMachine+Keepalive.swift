extension ConnectionMachine {
    /// Any frame is a sign of life.
    mutating func heard(from attempt: AttemptID, message: Bool) {
        // A late frame of an attempt that is closing or gone proves nothing about the current socket.
        guard case .open(var open) = state, open.attempt == attempt else { return }
        guard open.awaiting != nil || (message && !open.messageArrived) else { return }
        open.awaiting = nil
        open.messageArrived = open.messageArrived || message
        deadlines.pong = nil
        state = .open(open)
    }

    mutating func readingChanged(_ attempt: AttemptID, paused: Bool) {
        guard case .open(var open) = state, open.attempt == attempt, open.readingPaused != paused else { return }
        open.readingPaused = paused
        // An answer may lie unread; the next ping finds out.
        open.awaiting = nil
        deadlines.pong = nil
        state = .open(open)
    }

    /// Finds out whether the open socket survived a suspension or a path change.
    mutating func probe(at now: Instant, _ actions: inout Actions) {
        guard case .open(let open) = state, open.awaiting != .probe, !open.readingPaused else { return }
        ping(open, awaiting: .probe, timeout: rules.probeTimeout, at: now, &actions)
    }

    mutating func expireOpen(_ open: State.Open, at now: Instant, _ actions: inout Actions) {
        if let grace = deadlines.grace, grace <= now {
            return startClosing(because: .stayedInBackground, at: now, &actions)
        }
        let threshold = rules.suspensionThreshold
        let pong = Expiry(deadlines.pong, at: now, threshold: threshold)
        let ping = Expiry(deadlines.ping, at: now, threshold: threshold)
        if let every = rules.pingEvery, ping != .pending { deadlines.ping = now.advanced(byNanoseconds: every) }
        switch (pong, ping) {
        case (.missed, _), (_, .missed):
            // The process was not running: what was not heard says nothing, and a wait that goes on would be too short.
            deadlines.pong = nil
            self.ping(open, awaiting: .probe, timeout: rules.probeTimeout, at: now, &actions)
        case (.due, _):
            let reason: DisconnectReason = open.awaiting == .probe ? .probeUnanswered : .keepaliveTimedOut
            startClosing(
                because: .unresponsive, at: now,
                failure: State.Failure(of: open, reason, at: now),
                &actions)
        case (.pending, .due):
            // An unanswered ping keeps its own, earlier deadline.
            let timeout = rules.pongTimeout
            self.ping(open, awaiting: open.awaiting ?? .keepalive, timeout: timeout, at: now, &actions)
        case (.pending, .pending): break
        }
    }

    private mutating func ping(
        _ open: State.Open, awaiting: State.Awaited, timeout: Int64, at now: Instant, _ actions: inout Actions
    ) {
        actions.ping = open.attempt
        // While the consumer holds reading up, an answer cannot be seen, so none is waited for.
        guard !open.readingPaused else { return }
        var open = open
        open.awaiting = awaiting
        let deadline = now.advanced(byNanoseconds: timeout)
        // A deadline that is running stands if it is earlier.
        deadlines.pong = min(deadlines.pong ?? deadline, deadline)
        state = .open(open)
    }
}
