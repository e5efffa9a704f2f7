extension ConnectionMachine {
    mutating func opened(_ attempt: AttemptID, at now: Instant, _ actions: inout Actions) {
        // Closing already: the close was asked for while the answer was on its way; the transport sends the Close frame.
        guard case .opening(let opening) = state, opening.attempt == attempt else { return }
        deadlines.opening = nil
        deadlines.ping = rules.pingEvery.map { now.advanced(byNanoseconds: $0) }
        enter(.open(State.Open(from: opening, at: now)), &actions)
    }

    mutating func expireOpening(_ opening: State.Opening, at now: Instant, _ actions: inout Actions) {
        if let grace = deadlines.grace, grace <= now {
            return startClosing(because: .stayedInBackground, at: now, &actions)
        }
        guard let deadline = deadlines.opening, deadline <= now else { return }
        startClosing(
            because: .unresponsive, at: now,
            failure: State.Failure(
                channel: opening.channel, reason: .openingTimedOut, retryAfter: nil, openFor: nil,
                messageArrived: false),
            &actions)
    }

    mutating func ended(
        _ attempt: AttemptID, _ reason: DisconnectReason, retryAfter: Duration?, at now: Instant,
        using generator: inout some RandomNumberGenerator, _ actions: inout Actions
    ) {
        var failure: State.Failure?
        switch state {
        case .idle, .waiting, .held:
            // The end of an attempt whose closing handshake had run out of time.
            return
        case .opening(let opening):
            guard opening.attempt == attempt else { return }
            failure = State.Failure(
                channel: opening.channel, reason: reason, retryAfter: retryAfter, openFor: nil, messageArrived: false)
        case .open(let open):
            guard open.attempt == attempt else { return }
            failure = State.Failure(
                channel: open.channel, reason: reason, retryAfter: retryAfter, openFor: now - open.since,
                messageArrived: open.messageArrived)
        case .closing(let closing):
            guard closing.attempt == attempt else { return }
            failure = closing.failure
        }
        socketGone(&actions)
        if let failure { record(failure, at: now, using: &generator) }
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
        _ failure: State.Failure, at now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        let configuration = rules.configuration
        if ConnectionPolicy.backoffStartsOver(
            messageArrived: failure.messageArrived, openFor: failure.openFor, after: failure.reason,
            configuration: configuration)
        {
            failures = 0
        }
        // With another channel asked for meanwhile, only what the server demanded concerns it.
        let concernsAsked = failure.channel == asked
        let action = configuration.retryRules.rule(for: failure.reason).action
        if action != .reconnect, failures < .max { failures += 1 }
        // A refusal of the channel before says nothing about the credentials for this one.
        if concernsAsked, action == .refresh {
            // A session that lived is no second refusal in a row.
            let lived = failure.openFor.map { $0 >= configuration.startOver.afterOpenFor ?? .seconds(30) } ?? false
            refusals = lived ? 1 : refusals + 1
        } else if failure.openFor != nil {
            refusals = 0
        }
        let next = ConnectionPolicy.reconnect(
            after: failure.reason, retryAfter: failure.retryAfter, failure: failures, refusals: refusals,
            configuration: configuration, using: &generator)
        switch next {
        case .after(let delay, let why, let refresh):
            let due = now + delay
            if case .server = why {
                demands.removeAll { $0.origin == failure.channel.origin || $0.until <= now }
                demands.append(ServerDemand(origin: failure.channel.origin, until: due, reason: why))
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
