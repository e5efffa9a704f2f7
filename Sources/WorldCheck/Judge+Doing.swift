internal import ConnectionCore

/// What the connection does, as the transport and the system see it.
extension Judge {
    func opens(_ attempt: AttemptID, _ channel: ChannelID) {
        require(live == nil, "at most one live socket", "attempt \(attempt.number) beside \(live!.attempt.number)")
        require(
            attempt.number > lastAttempt, "attempts are numbered", "\(attempt.number) after \(lastAttempt)")
        guard let asked else { return object("no open while unasked", "attempt \(attempt.number)") }
        require(asked == channel, "the channel asked for last is opened", "attempt \(attempt.number)")
        require(foreground, "no open while in the background", "attempt \(attempt.number)")
        require(
            path != .offline || !channel.needsNetwork, "no open while offline", "attempt \(attempt.number)")
        require(refusals < 2, "no open while refused", "attempt \(attempt.number)")
        require(
            now >= quietUntil, "no open within the quiet window",
            "attempt \(attempt.number), quiet until \(Happening.seconds(quietUntil)) s")
        require(
            now >= notBefore, "no open before its time",
            "attempt \(attempt.number), due at \(Happening.seconds(notBefore)) s at the earliest")
        if let demand = demands[channel.origin] {
            require(
                now >= demand.earliest, "what the server demands is obeyed",
                "attempt \(attempt.number), not before \(Happening.seconds(demand.earliest)) s")
            demands[channel.origin] = nil
        }
        live = Live(attempt: attempt, channel: channel, since: now)
        lastAttempt = attempt.number
        checkBudget()
    }

    private func checkBudget() {
        starts.append(now)
        // Over every span that ends now: a burst, and one more for each interval.
        for (index, start) in starts.enumerated() {
            let count = starts.count - index
            guard count > Self.burst else { break }
            require(
                Int64(count - Self.burst) * Self.tokenEvery <= now - start, "no open faster than the budget",
                "\(count) attempts in \(Happening.seconds(now - start)) s")
        }
        if starts.count > 64 { starts.removeFirst(32) }
    }

    func pings(_ attempt: AttemptID) {
        guard let live, live.attempt == attempt, live.isOpen else {
            return object("keepalive only with an open socket", "pings \(attempt.number)")
        }
        // A deadline noticed so late was missed because the process did not run; what was not heard says nothing.
        let missed = [live.pingDueAt, live.pongDueAt ?? .max].contains { now - Self.lateIsAsleep > $0 }
        require(
            missed || probeDue || now >= live.pingDueAt, "pings come when they are due",
            "attempt \(attempt.number), next at \(Happening.seconds(live.pingDueAt)) s")
        if now >= live.pingDueAt { self.live?.pingDueAt = now + Self.pingEvery }
        guard !readingHeldUp else { return }
        let due = now + (missed || probeDue ? Self.probeTime : Self.pongTime)
        self.live?.pongDueAt = min(missed ? due : live.pongDueAt ?? due, due)
    }

    func closes(_ attempt: AttemptID, _ code: CloseCode) {
        guard let live, live.attempt == attempt, live.closingAt == nil else {
            return object("a socket is closed once", "closes \(attempt.number)")
        }
        self.live?.closingAt = now
        switch code {
        case .goingAway:
            require(
                exiting || graceIsOver || (!foreground && expired),
                "1001 only after the grace, or to exit", "attempt \(attempt.number)")
        case .normalClosure:
            guard let asked else { return }
            if isGivenUp(live) {
                self.live?.wasUnresponsive = true
                return
            }
            notBefore = 0
            require(asked != live.channel, "the same channel keeps its socket", "closes \(attempt.number)")
            require(
                foreground && (path != .offline || !asked.needsNetwork) && now >= quietUntil,
                "a socket is replaced when its successor may open", "closes \(attempt.number)")
        default:
            object("every socket we end carries a code", "closes \(attempt.number) with \(code)")
        }
    }

    /// What is overdue when the app returns comes first, whichever of the two is told first.
    var graceIsOver: Bool { (!foreground || foregroundSince == now) && now - backgroundSince >= Self.grace }

    /// The opening or a ping went unanswered for so long that this side gives up. What comes together with the deadline
    /// comes too late, whichever of the two is told first.
    func isGivenUp(_ live: Live) -> Bool {
        guard let openedAt = live.openedAt, openedAt < now || now - live.since < Self.openingTime else {
            return now - live.since >= Self.openingTime
        }
        guard let due = live.pongDueAt else { return false }
        return due <= now && now - due <= Self.lateIsAsleep
    }

    func abandons(_ attempt: AttemptID) {
        guard let live, live.attempt == attempt, let closing = live.closingAt else {
            return object("every socket we end carries a code", "abandons \(attempt.number) without a close before")
        }
        require(
            now - closing >= Self.closingTime, "a close gets its time",
            "abandons \(attempt.number) after \(Happening.seconds(now - closing)) s")
        over(live)
    }

    func beginsBackgroundTime() {
        require(!holdsTime, "background time begins and ends in turn", "begins twice")
        require((live != nil || endedAt == now) && !foreground, "background time only for a socket", "begins")
        holdsTime = true
    }

    func endsBackgroundTime() {
        require(holdsTime, "background time begins and ends in turn", "ends twice")
        holdsTime = false
    }
}
