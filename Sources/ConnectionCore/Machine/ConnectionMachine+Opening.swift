extension ConnectionMachine {
    mutating func opened(_ attempt: AttemptID, at now: Instant, _ actions: inout Actions) {
        // Closing already: the close was asked for while the answer was on its way; the transport sends the Close frame.
        guard case .opening(let opening) = state, opening.attempt == attempt else { return }
        deadlines.opening = nil
        deadlines.ping = rules.pingEvery.map { now.advanced(byNanoseconds: $0) }
        enter(.open(State.Open(from: opening, at: now)), &actions)
    }

    mutating func expireOpening(at now: Instant, _ actions: inout Actions) {
        if let grace = deadlines.grace, grace <= now {
            return startClosing(because: .stayedInBackground, at: now, &actions)
        }
        guard let deadline = deadlines.opening, deadline <= now else { return }
        startClosing(
            because: .unresponsive, at: now, failure: State.Failure(.openingTimedOut), &actions)
    }

    mutating func ended(
        _ attempt: AttemptID, _ reason: DisconnectReason, retryAfter: Duration?, at now: Instant,
        using generator: inout some RandomNumberGenerator, _ actions: inout Actions
    ) {
        let channel: ChannelID
        let failure: State.Failure?
        var retryAfter = retryAfter
        switch state {
        case .idle, .waiting, .held:
            // The end of an attempt whose closing handshake had run out of time.
            return
        case .opening(let opening):
            guard opening.attempt == attempt else { return }
            (channel, failure) = (opening.channel, State.Failure(reason))
        case .open(let open):
            guard open.attempt == attempt else { return }
            (channel, failure) = (open.channel, State.Failure(of: open, reason, at: now))
        case .closing(let closing):
            guard closing.attempt == attempt else { return }
            (channel, failure) = (closing.channel, closing.failure)
            // What a server answers to a close of this side is no demand.
            retryAfter = nil
        }
        socketGone(&actions)
        if let failure { record(failure, of: channel, retryAfter: retryAfter, at: now, using: &generator) }
    }

    /// No socket any more; where the state goes from here is for `reconcile` to say.
    mutating func socketGone(_ actions: inout Actions) {
        deadlines.clearSocket()
        deadlines.closing = nil
        // What was overdue when the end was told needs no doing any more.
        actions.ping = nil
        actions.close = nil
        enter(.idle, &actions)
    }

    /// Counts a failure and decides when to try again.
    mutating func record(
        _ failure: State.Failure, of channel: ChannelID, retryAfter: Duration? = nil, at now: Instant,
        using generator: inout some RandomNumberGenerator
    ) {
        let rule = rules.rule(for: failure.reason)
        if ConnectionPolicy.startsOver(
            messageArrived: failure.messageArrived, openFor: failure.openFor, rule.ladder,
            afterMessage: rules.startsOverAfterMessage, afterOpenFor: rules.startsOverAfterOpenFor)
        {
            failures = 0
        }
        if rule.action != .reconnect, failures < .max { failures += 1 }
        // With another channel asked for meanwhile, only what the server demanded concerns it; a refusal of the channel
        // before says nothing about the credentials for this one.
        let concernsAsked = channel == asked
        if concernsAsked {
            if rule.action == .refresh {
                // A session that lived is no second refusal in a row.
                let lived = failure.openFor.map { $0 >= rules.startsOverAfterOpenFor ?? 30_000_000_000 } ?? false
                refusals = lived ? 1 : refusals + 1
            } else if failure.openFor != nil {
                refusals = 0
            }
        }
        let next = ConnectionPolicy.retry(
            rule.action, after: failure.reason, retryAfter: retryAfter?.inNanoseconds, failure: Int(failures),
            refusals: Int(refusals), backoff: rules.backoffBounds(forFailure: Int(failures)),
            debounce: rules.foregroundDebounce, using: &generator)
        switch next {
        case .after(let delay, let why, let refresh):
            let due = now.advanced(byNanoseconds: delay)
            if case .server = why {
                demands.removeAll { $0.origin == channel.origin || $0.until <= now }
                demands.append(ServerDemand(origin: channel.origin, until: due, reason: why))
            }
            guard concernsAsked else { return }
            (dueAt, dueReason) = (due, why)
            refreshNext = refreshNext || refresh
        case .hold:
            guard concernsAsked else { return }
            stopped = failure.reason
            refreshNext = true
        }
    }
}
