extension ConnectionMachine {
    mutating func ask(for channel: ChannelID, at now: Instant) {
        let wasStopped = stopped != nil
        stopped = nil
        guard channel != asked || wasStopped else { return }
        if channel != asked { refreshNext = false }
        asked = channel
        refusals = 0
        // An ask starts from the quiet window alone; only what a server demanded outlives it.
        dueAt = Instant(nanoseconds: .min)
        if channel == liveChannel {
            // Back to the channel that is served already: the change never happened.
            deadlines.ask = nil
            burstStart = nil
            return
        }
        let start = burstStart ?? now
        burstStart = start
        deadlines.ask = min(
            now.advanced(byNanoseconds: rules.askQuietWindow), start.advanced(byNanoseconds: rules.askCeiling))
    }

    mutating func disconnect(because cause: LocalCloseCause, at now: Instant, _ actions: inout Actions) {
        asked = nil
        stopped = nil
        refusals = 0
        refreshNext = false
        deadlines.ask = nil
        burstStart = nil
        dueAt = Instant(nanoseconds: .min)
        startClosing(because: cause, at: now, &actions)
    }

    /// With a live socket: another channel takes its place once the asks have settled and the gates are open.
    mutating func replaceIfNeeded(at now: Instant, _ actions: inout Actions) {
        guard deadlines.ask == nil else { return }
        switch ConnectionPolicy.connectDecision(asked: asked, live: liveChannel, app: app, network: network) {
        case .nothing, .keep, .wait: break
        case .connect:
            dueAt = now
            dueReason = .replacement
            startClosing(because: .replaced, at: now, &actions)
        }
    }

    /// Without a socket: wait, hold or open.
    mutating func pursue(at now: Instant, _ actions: inout Actions) {
        switch ConnectionPolicy.connectDecision(asked: asked, live: nil, app: app, network: network) {
        case .nothing, .keep: return enter(.idle, &actions)
        case .wait(let reason): return enter(.held(reason), &actions)
        case .connect: break
        }
        if let stopped { return enter(.held(.refused(stopped)), &actions) }
        guard let asked else { return }
        var due = dueAt
        var reason = dueReason
        if let ask = deadlines.ask, ask >= due { (due, reason) = (ask, .quietWindow) }
        if let demand = demands.first(where: { $0.origin == asked.origin }), demand.until > due {
            (due, reason) = (demand.until, demand.reason)
        }
        if due <= now, let free = budgetFree(at: now) { (due, reason) = (free, .budget) }
        guard due > now else { return start(asked, at: now, &actions) }
        if case .waiting(let waiting) = state, waiting.until == due, waiting.reason == reason { return }
        enter(.waiting(State.Waiting(since: now, until: due, reason: reason)), &actions)
    }

    /// When the budget allows the next attempt; nil if now.
    private func budgetFree(at now: Instant) -> Instant? {
        let free = budgetFullAt.advanced(byNanoseconds: -rules.budgetSlack)
        return free > now ? free : nil
    }

    private mutating func start(_ channel: ChannelID, at now: Instant, _ actions: inout Actions) {
        budgetFullAt = max(budgetFullAt, now).advanced(byNanoseconds: rules.budgetInterval)
        lastAttempt = AttemptID(lastAttempt.number + 1)
        if !demands.isEmpty { demands.removeAll { $0.origin == channel.origin } }
        deadlines.opening = now.advanced(byNanoseconds: rules.openingHandshake)
        actions.open = Actions.Open(attempt: lastAttempt, refused: refreshNext)
        refreshNext = false
        enter(.opening(State.Opening(attempt: lastAttempt, channel: channel)), &actions)
    }
}
