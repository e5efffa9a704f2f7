internal import ConnectionCore

/// What must hold whenever the connection has dealt with what it was told.
extension Judge {
    /// The process did not run until now, so no one could hear the peer.
    func woke() { live?.heardAt = now }

    /// - Parameters:
    ///   - timer: when the connection is going to be woken; nil if no wake-up is set.
    ///   - sendsUntil: when the first waiting message must be out.
    func afterTelling(status: ConnectionStatus, timer: Int64?, sendsUntil: Int64?) {
        require(
            isTrue(status), .status,
            "says \(status) with \(live.map { "socket \($0.attempt.number)" } ?? "no socket")")
        checkWaits(status, timer: timer, sendsUntil: sendsUntil)
        require(
            !holdsTime || (live != nil && !foreground), .timeForSocket, "kept in \(status)")
        require(
            live == nil || foreground || holdsTime || expired, .timeHeld,
            "\(status)")
    }

    /// Every deadline that has come was dealt with, in whatever order things were told.
    func nothingIsOverdue() {
        let probe = probeDue
        probeDue = false
        guard let live else { return }
        if probe, live.isOpen, !readingHeldUp, live.heardAt < now {
            require(
                live.pongDueAt ?? .max <= now + Self.probeTime, .probe, "attempt \(live.attempt.number) is not asked")
        }
        if let closing = live.closingAt {
            return require(
                now - closing < Self.closingTime, .closeEnd,
                "closing since \(Happening.seconds(closing)) s")
        }
        require(
            foreground || now - backgroundSince < Self.grace, .graceEnd,
            "in the background since \(Happening.seconds(backgroundSince)) s")
        guard live.openedAt != nil else {
            return require(
                now - live.since < Self.openingTime, .openingEnd,
                "opening since \(Happening.seconds(live.since)) s")
        }
        require(
            now < live.pingDueAt, .pingDue, "none since \(Happening.seconds(live.pingDueAt)) s")
        require(
            readingHeldUp || now - live.heardAt <= Self.silenceNoticed, .silence,
            "silent since \(Happening.seconds(live.heardAt)) s")
    }

    private func isTrue(_ status: ConnectionStatus) -> Bool {
        let offline = path == .offline && asked?.needsNetwork ?? true
        switch status {
        case .idle: return live == nil && asked == nil
        case .waiting: return live == nil && asked != nil && foreground && !offline && refusals < 2
        case .opening(let attempt): return attempt == live?.attempt && live?.openedAt == nil && live?.closingAt == nil
        case .open(let attempt): return attempt == live?.attempt && live?.isOpen == true
        case .closing(let attempt, let cause):
            if attempt == live?.attempt, let expected = live?.cause {
                require(cause == expected, .cause, "says \(cause), not \(expected)")
            }
            return attempt == live?.attempt && live?.closingAt != nil
        case .held(.background): return live == nil && asked != nil && !foreground
        case .held(.offline): return live == nil && asked != nil && foreground && offline
        case .held(.refused): return live == nil && asked != nil && foreground && !offline && refusals >= 2
        }
    }

    private func checkWaits(_ status: ConnectionStatus, timer: Int64?, sendsUntil: Int64?) {
        let bound: Int64?
        switch status {
        case .idle, .held: bound = sendsUntil.map { max(0, $0 - now) }
        case .waiting(let why, let delay, let until):
            bound = until.nanoseconds - now
            require(
                until.nanoseconds - now <= Self.longestWait, .bounded,
                "waits \(Happening.seconds(until.nanoseconds - now)) s")
            if lastWait != status { checkWait(why, delay: delay.inNanoseconds, until: until.nanoseconds) }
            lastWait = status
        case .opening: bound = Self.openingTime
        case .open: bound = Self.pingEvery
        case .closing: bound = Self.closingTime
        }
        guard let bound else {
            return require(timer == nil, .timer, "a timer in \(status)")
        }
        guard let timer else { return object(.bounded, "no timer in \(status)") }
        require(
            timer - now <= bound && timer - now <= sendsUntil.map { max(0, $0 - now) } ?? .max,
            .bounded, "wakes after \(Happening.seconds(max(0, timer - now))) s in \(status)")
    }
}

/// What a wait that begins says of itself.
extension Judge {
    private func checkWait(_ why: WaitReason, delay: Int64, until: Int64) {
        func says(_ condition: Bool) {
            require(condition, .waitWhy, "\(why), \(Happening.seconds(delay)) s, until \(Happening.seconds(until)) s")
        }
        says(delay == until - now)
        switch why {
        case .quietWindow: says(until == quietUntil)
        case .foreground: says(until == foregroundSince + Self.debounce)
        case .networkReturn:
            let range = isStormSafe ? 0...Self.second : Self.debounce...Self.debounce
            says(range.contains(until - networkBackAt))
            if isStormSafe, networkBackAt == now { drew("network return", until - now, range) }
        case .replacement: says(delay <= Self.debounce)
        case .backoff(let failure, _):
            require(failure == failures, .ladder, "failure \(failure), after \(failures)")
            require(backoff(failure).contains(delay), .ladder, "\(Happening.seconds(delay)) s after failure \(failure)")
            drew(isStormSafe ? "backoff, windows" : "backoff, ±20 %", delay, backoff(failure))
        case .refresh:
            require(
                backoff(failures).contains(delay), .ladder, "\(Happening.seconds(delay)) s after \(failures) failures")
        case .server(let reason):
            guard let demand = asked.flatMap({ demands[$0.origin] }) else { return says(false) }
            let range = demand.earliest...demand.latest
            says(range.contains(until))
            if case .closedByPeer = reason {
                drew("5 to 30 s", until, range)
            } else {
                drew("R + U(0, R)", until, range)
            }
        case .budget: says(until == budgetFullAt - (Self.burst - 1) * Self.tokenEvery)
        }
    }

    private func drew(_ law: String, _ wait: Int64, _ range: ClosedRange<Int64>) {
        let tenth = Int(10 * Double(wait - range.lowerBound) / Double(max(1, range.upperBound - range.lowerBound)))
        draws[law, default: Array(repeating: 0, count: 10)][min(max(tenth, 0), 9)] += 1
    }
}
