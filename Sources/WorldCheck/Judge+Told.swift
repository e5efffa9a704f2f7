internal import ConnectionCore

/// What the connection is told.
extension Judge {
    func toldAsk(_ channel: ChannelID) {
        if channel == asked {
            guard refusals >= 2 else { return }
            refusals = 0
            notBefore = 0
            newsAt = now
            return beginQuiet()
        }
        refusals = 0
        asked = channel
        notBefore = 0
        newsAt = now
        // A socket whose deadline has come is gone before the ask.
        if let live, live.closingAt == nil, live.channel == channel, !isGivenUp(live), !graceIsOver {
            burstStart = nil
            quietUntil = 0
        } else {
            beginQuiet()
        }
    }

    private func beginQuiet() {
        let start = now < quietUntil ? burstStart ?? now : now
        burstStart = start
        quietUntil = min(now + Self.quiet, start + Self.ceiling)
    }

    func toldDisconnect(_ cause: LocalCloseCause, wish code: CloseCode? = nil) {
        leaving = cause
        wish = code.map { ($0, now) }
        asked = nil
        refusals = 0
        notBefore = 0
        burstStart = nil
        quietUntil = 0
    }

    func toldApp(foreground isForeground: Bool) {
        guard isForeground != foreground else { return }
        foreground = isForeground
        if isForeground {
            foregroundSince = now
            refusals = 0
            notBefore = now + Self.debounce
            newsAt = now
            probeDue = true
        } else {
            backgroundSince = now
            expired = false
        }
    }

    func toldPath(_ new: NetworkPath) {
        guard new != path else { return }
        let before = path
        path = new
        guard new != .offline, before != .unknown else { return }
        probeDue = true
        guard before == .offline, asked?.needsNetwork ?? true else { return }
        networkBackAt = now
        newsAt = now
        notBefore = isStormSafe ? 0 : now + Self.debounce
        if !isStormSafe { failures = 0 }
    }

    func toldOpened(_ attempt: AttemptID) {
        guard live?.attempt == attempt, live?.closingAt == nil else { return }
        openedCount += 1
        live?.openedAt = now
        live?.heardAt = now
        live?.pingDueAt = now + Self.pingEvery
        readingHeldUp = true
    }

    /// While the app does not read, an answer cannot be seen; silence is not death then.
    func readingIs(heldUp: Bool, _ attempt: AttemptID) {
        guard live?.attempt == attempt, heldUp != readingHeldUp else { return }
        readingHeldUp = heldUp
        live?.heardAt = now
        live?.pongDueAt = nil
    }

    /// Called when the connection has dealt with the frame: what is overdue when it comes is dealt with before.
    func toldFrame(_ attempt: AttemptID, message: Bool) {
        guard live?.attempt == attempt else { return }
        live?.heardAt = now
        live?.pongDueAt = nil
        if message { live?.messageCame = true }
    }

    func toldEnded(_ attempt: AttemptID, _ reason: DisconnectReason, retryAfter: Duration?) {
        guard let gone = live, gone.attempt == attempt else { return }
        over(gone, newsAt: -1)
        lastEnd = gone.cause.map { .closedLocally($0) } ?? reason
        // What comes after our Close frame is no news, nor what comes when a deadline had come before.
        guard gone.closingAt == nil, !isGivenUp(gone), !graceIsOver else { return }
        failed(gone, reason)
        if gone.channel == asked { countRefusals(gone, reason) }
        let told = min(retryAfter?.inNanoseconds ?? 0, 300 * Self.second)
        switch reason {
        case .openingRefused where told > 0 && !isRefusal(reason):
            demands[gone.channel.origin] = (now + told + 1, now + 2 * told)
        case .closedByPeer(.goingAway), .closedByPeer(.serviceRestart):
            demands[gone.channel.origin] = (now + 5 * Self.second, now + 30 * Self.second)
        case .closedByPeer, .openingRefused, .connectionLost, .openingTimedOut, .openingFailed, .keepaliveTimedOut,
            .probeUnanswered, .protocolViolation, .requestUnavailable, .closedLocally:
            if gone.channel == asked { notBefore = now + backoff(failures).lowerBound }
        }
    }

    /// The attempt is over.
    ///
    /// - Parameter newsAt: when something was told that is dealt with only after this end.
    func over(_ gone: Live, newsAt: Int64) {
        live = nil
        endedAt = now
        endedCount += 1
        // Given up, or about to be when its end was told.
        guard gone.cause == .unresponsive || (gone.cause == nil && isGivenUp(gone) && !graceIsOver) else { return }
        // Whether a socket survived says nothing about the server.
        let isProbe = gone.isProbed && gone.openedAt != nil && gone.openedAt != gone.closingAt ?? now
        failed(gone, isProbe ? .probeUnanswered : .keepaliveTimedOut)
        if newsAt == now, networkBackAt == now, !isStormSafe { failures = 0 }
        guard gone.channel == asked else { return }
        countRefusals(gone, .keepaliveTimedOut)
        guard newsAt < now else { return }
        notBefore = now + (isProbe ? Self.debounce : backoff(failures).lowerBound)
    }

    private func isRefusal(_ reason: DisconnectReason) -> Bool {
        [.openingRefused(status: 401), .openingRefused(status: 403), .closedByPeer(.policyViolation)].contains(reason)
    }

    /// A refusal of a channel that is not asked for any more says nothing about the one that is.
    private func countRefusals(_ gone: Live, _ reason: DisconnectReason) {
        if isRefusal(reason) {
            refusals = openFor(gone) ?? 0 >= 30 * Self.second ? 1 : refusals + 1
        } else if openFor(gone) != nil {
            refusals = 0
        }
    }

    /// How long it was open; nil if it opened only as its opening was given up.
    private func openFor(_ gone: Live) -> Int64? {
        guard let opened = gone.openedAt else { return nil }
        let end = gone.closingAt ?? now
        return opened == end && end - gone.since >= Self.openingTime ? nil : end - opened
    }

    /// Counts the failure, after what the attempt has earned.
    private func failed(_ gone: Live, _ reason: DisconnectReason) {
        let (byUptime, byMessage) = earns(reason)
        if byUptime && openFor(gone) ?? -1 >= 30 * Self.second || byMessage && !isStormSafe && gone.messageCame {
            failures = 0
        }
        if reason != .probeUnanswered { failures += 1 }
    }

    /// Whether 30 s of uptime, and whether a message, earn a fresh start.
    private func earns(_ reason: DisconnectReason) -> (byUptime: Bool, byMessage: Bool) {
        switch reason {
        case .closedByPeer(let code):
            switch code.rawValue {
            case 1002, 1003, 1007...1010, 1013: (false, false)
            case 3000...4999: (true, false)
            default: (true, true)
            }
        case .openingRefused, .protocolViolation: (false, false)
        case .connectionLost, .openingTimedOut, .openingFailed, .keepaliveTimedOut, .probeUnanswered,
            .requestUnavailable, .closedLocally:
            (true, true)
        }
    }

    /// What the n-th failure in a row makes the connection wait.
    func backoff(_ failure: Int) -> ClosedRange<Int64> {
        let ladder: [Int64] = [2, 4, 8, 16, 32, 60]
        let base = ladder[min(max(failure, 1), ladder.count) - 1] * Self.second
        return isStormSafe ? 0...min(2 * base, 60 * Self.second) : base * 8 / 10...base * 12 / 10
    }
}
