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
            isTrue(status), "the status is true",
            "says \(status) with \(live.map { "socket \($0.attempt.number)" } ?? "no socket")")
        checkWaits(status, timer: timer, sendsUntil: sendsUntil)
        require(
            !holdsTime || (live != nil && !foreground), "background time only for a socket", "kept in \(status)")
        require(
            live == nil || foreground || holdsTime || expired, "a socket in the background holds background time",
            "\(status)")
    }

    /// Every deadline that has come was dealt with, in whatever order things were told.
    func nothingIsOverdue() {
        probeDue = false
        guard let live else { return }
        if let closing = live.closingAt {
            return require(
                now - closing < Self.closingTime, "a close comes to its end",
                "closing since \(Happening.seconds(closing)) s")
        }
        require(
            foreground || now - backgroundSince < Self.grace, "the grace comes to its end",
            "in the background since \(Happening.seconds(backgroundSince)) s")
        guard live.openedAt != nil else {
            return require(
                now - live.since < Self.openingTime, "an opening comes to its end",
                "opening since \(Happening.seconds(live.since)) s")
        }
        require(
            now < live.pingDueAt, "pings come when they are due", "none since \(Happening.seconds(live.pingDueAt)) s")
        require(
            readingHeldUp || now - live.heardAt <= Self.silenceNoticed, "a silent peer is noticed",
            "silent since \(Happening.seconds(live.heardAt)) s")
    }

    private func isTrue(_ status: ConnectionStatus) -> Bool {
        let offline = path == .offline && asked?.needsNetwork ?? true
        switch status {
        case .idle: return live == nil && asked == nil
        case .waiting: return live == nil && asked != nil && foreground && !offline && refusals < 2
        case .opening(let attempt): return attempt == live?.attempt && live?.openedAt == nil && live?.closingAt == nil
        case .open(let attempt): return attempt == live?.attempt && live?.isOpen == true
        case .closing(let attempt, _): return attempt == live?.attempt && live?.closingAt != nil
        case .held(.background): return live == nil && asked != nil && !foreground
        case .held(.offline): return live == nil && asked != nil && foreground && offline
        case .held(.refused): return live == nil && asked != nil && foreground && !offline && refusals >= 2
        }
    }

    private func checkWaits(_ status: ConnectionStatus, timer: Int64?, sendsUntil: Int64?) {
        let bound: Int64?
        switch status {
        case .idle, .held: bound = sendsUntil.map { max(0, $0 - now) }
        case .waiting(_, _, let until):
            bound = until.nanoseconds - now
            require(
                until.nanoseconds - now <= Self.longestWait, "every wait has a bound",
                "waits \(Happening.seconds(until.nanoseconds - now)) s")
        case .opening: bound = Self.openingTime
        case .open: bound = Self.pingEvery
        case .closing: bound = Self.closingTime
        }
        guard let bound else {
            return require(timer == nil, "no timer without need", "a timer in \(status)")
        }
        guard let timer else { return object("every wait has a bound", "no timer in \(status)") }
        require(
            timer - now <= bound && timer - now <= sendsUntil.map { max(0, $0 - now) } ?? .max,
            "every wait has a bound", "wakes after \(Happening.seconds(max(0, timer - now))) s in \(status)")
    }
}
