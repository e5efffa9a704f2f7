internal import ConnectionCore

/// What the connection does, as the transport and the system see it.
extension Judge {
    func opens(_ attempt: AttemptID, _ channel: ChannelID) {
        require(live == nil, .oneSocket, "attempt \(attempt.number) beside \(live!.attempt.number)")
        require(
            attempt.number > lastAttempt, .numbered, "\(attempt.number) after \(lastAttempt)")
        guard let asked else { return object(.unasked, "attempt \(attempt.number)") }
        require(asked == channel, .lastAsked, "attempt \(attempt.number)")
        require(foreground, .background, "attempt \(attempt.number)")
        require(
            path != .offline || !channel.needsNetwork, .offline, "attempt \(attempt.number)")
        require(refusals < 2, .refused, "attempt \(attempt.number)")
        require(
            now >= quietUntil, .quiet,
            "attempt \(attempt.number), quiet until \(Happening.seconds(quietUntil)) s")
        require(
            now >= notBefore, .tooEarly,
            "attempt \(attempt.number), due at \(Happening.seconds(notBefore)) s at the earliest")
        if let demand = demands[channel.origin] {
            require(
                now >= demand.earliest, .demand,
                "attempt \(attempt.number), not before \(Happening.seconds(demand.earliest)) s")
            demands[channel.origin] = nil
        }
        live = Live(attempt: attempt, channel: channel, since: now)
        lastAttempt = attempt.number
        checkBudget()
    }

    /// Over every span that ends now: a burst, and one more for each interval.
    private func checkBudget() {
        starts.append(now)
        for (index, start) in starts.enumerated() {
            let count = Int64(starts.count - index)
            guard count > Self.burst else { break }
            require(
                (count - Self.burst) * Self.tokenEvery <= now - start, .budget,
                "\(count) attempts in \(Happening.seconds(now - start)) s")
        }
        if starts.count > 64 { starts.removeFirst(32) }
        budgetFullAt = max(budgetFullAt, now) + Self.tokenEvery
    }

    func pings(_ attempt: AttemptID) {
        guard let live, live.attempt == attempt, live.isOpen else {
            return object(.keepalive, "pings \(attempt.number)")
        }
        // A deadline noticed so late was missed because the process did not run; what was not heard says nothing.
        let missed = [live.pingDueAt, live.pongDueAt ?? .max].contains { now - Self.lateIsAsleep > $0 }
        require(
            missed || probeDue || now >= live.pingDueAt, .pingDue,
            "attempt \(attempt.number), next at \(Happening.seconds(live.pingDueAt)) s")
        if now >= live.pingDueAt { self.live?.pingDueAt = now + Self.pingEvery }
        guard !readingHeldUp else { return }
        let isProbe = missed || probeDue
        let due = now + (isProbe ? Self.probeTime : Self.pongTime)
        self.live?.isProbed = isProbe || (live.pongDueAt != nil && live.isProbed)
        self.live?.pongDueAt = min(missed ? due : live.pongDueAt ?? due, due)
    }

    func closes(_ attempt: AttemptID, _ code: CloseCode, _ reason: String) {
        guard let live, live.attempt == attempt, live.closingAt == nil else {
            return object(.closedOnce, "closes \(attempt.number)")
        }
        let (cause, expected) = rightCause(live)
        self.live?.closingAt = now
        self.live?.cause = cause
        if let wish, wish.at == now, wish.code == code { return }
        guard code == expected else {
            let rule: Rule =
                if cause == .exiting { .exit } else if cause == .disconnected { .wish } else if code == .goingAway {
                    .away
                } else {
                    .code
                }
            return object(rule, "closes \(attempt.number) with \(code)")
        }
        require(reason == "\(cause)", .cause, "closes \(attempt.number) because \(reason), not \(cause)")
        guard cause == .replaced, let asked else { return }
        require(asked != live.channel, .kept, "closes \(attempt.number)")
        require(
            foreground && (path != .offline || !asked.needsNetwork) && now >= quietUntil, .replaced,
            "closes \(attempt.number)")
        notBefore = 0
    }

    /// Why a socket would be closed now, and the code for it: deadlines that have come first, then what was told.
    private func rightCause(_ live: Live) -> (LocalCloseCause, CloseCode) {
        if graceIsOver { return (.stayedInBackground, .goingAway) }
        if isGivenUp(live) { return (.unresponsive, .normalClosure) }
        if asked == nil {
            return (leaving, leaving == .exiting ? .goingAway : wish?.code ?? .normalClosure)
        }
        if !foreground, expired { return (.stayedInBackground, .goingAway) }
        return (.replaced, .normalClosure)
    }

    func abandons(_ attempt: AttemptID) {
        guard let live, live.attempt == attempt, let closing = live.closingAt else {
            return object(.code, "abandons \(attempt.number) without a close before")
        }
        require(
            now - closing >= Self.closingTime, .closeTime,
            "abandons \(attempt.number) after \(Happening.seconds(now - closing)) s")
        // What is overdue comes before what is told, and what is told wins.
        over(live, newsAt: newsAt)
        lastEnd = live.cause.map { .closedLocally($0) }
    }

    func beginsBackgroundTime() {
        require(!holdsTime, .timeTurns, "begins twice")
        require((live != nil || endedAt == now) && !foreground, .timeForSocket, "begins")
        holdsTime = true
    }

    func endsBackgroundTime() {
        require(holdsTime, .timeTurns, "ends twice")
        holdsTime = false
    }
}
