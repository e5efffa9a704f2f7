import ConnectionCore

extension ReferenceModel {
    /// No socket: the status the machine must have. Where a draw leaves it open, the machine's word counts.
    mutating func pursue(
        at now: Int64, _ must: inout Actions, _ actions: Actions, _ status: ConnectionStatus
    ) throws(Violation) -> ConnectionStatus {
        guard let wanted else { return .idle }
        guard inForeground else { return .held(.background) }
        guard path != .offline || !wanted.needsNetwork else { return .held(.offline) }
        if let stopped { return .held(.refused(stopped)) }

        var reasons: [Pause] = []
        if let burst { reasons.append(Pause(earliest: burst.settles, latest: burst.settles, reason: .quietWindow)) }
        if let pause { reasons.append(pause) }
        if let demand = demands[wanted.origin] { reasons.append(demand) }
        let earliest = reasons.map(\.earliest).max() ?? now
        let latest = reasons.map(\.latest).max() ?? now
        let budget = max(now, tokensAt + numbers.tokenEvery - tokens)

        switch status {
        case .waiting(.budget, _, let until):
            guard budget > now else { throw Violation("model", "waits for a budget that is not used up") }
            guard earliest <= now else { throw Violation("model", "waits for the budget, but for other reasons first") }
            guard until.nanoseconds == budget else {
                throw Violation("model", "budget free at \(until.nanoseconds) ns, expected \(budget)")
            }
            learn(noLaterThan: now)
            return status
        case .waiting(let reason, _, let until):
            guard latest > now else { throw Violation("model", "waits (\(status)) without a reason") }
            let until = until.nanoseconds
            let fits = reasons.contains { $0.reason == reason && $0.earliest <= until && until <= $0.latest }
            guard fits, until >= earliest, until > now else {
                throw Violation("model", "\(status), until \(until) ns, expected one of \(reasons)")
            }
            learn(noLaterThan: until, reason)
            return status
        case .idle, .opening, .open, .closing, .held:
            guard earliest <= now else { throw Violation("model", "must wait for one of \(reasons)") }
            guard budget <= now else { throw Violation("model", "must wait for the budget until \(budget) ns") }
            learn(noLaterThan: now)
            return start(wanted, at: now, &must)
        }
    }

    private mutating func start(_ channel: ChannelID, at now: Int64, _ must: inout Actions) -> ConnectionStatus {
        attempts += 1
        tokens = min(tokens + (now - tokensAt), numbers.burst * numbers.tokenEvery) - numbers.tokenEvery
        tokensAt = now
        demands[channel.origin] = nil
        must.open = Actions.Open(attempt: AttemptID(attempts), refused: tellRefused)
        tellRefused = false
        socket = Socket(attempt: attempts, channel: channel, mustOpenBy: now + numbers.opening)
        return .opening(AttemptID(attempts))
    }

    /// The machine showed that every wait ends by `moment`, and the one for `reason` exactly then.
    private mutating func learn(noLaterThan moment: Int64, _ reason: WaitReason? = nil) {
        func narrowed(_ pause: Pause) -> Pause {
            var pause = pause
            pause.latest = max(pause.earliest, min(pause.latest, moment))
            if pause.reason == reason { pause.earliest = pause.latest }
            return pause
        }
        pause = pause.map(narrowed)
        guard let origin = wanted?.origin, let demand = demands[origin] else { return }
        demands[origin] = narrowed(demand)
    }

    /// The table “what the server says”, once more.
    private enum Verdict {
        case backoff
        case spread
        case obey
        case refused
        case again
    }

    private func verdict(_ reason: DisconnectReason) -> (verdict: Verdict, message: Bool, uptime: Bool) {
        switch reason {
        case .closedByPeer(let code):
            switch code.rawValue {
            case 1001, 1012: (.spread, true, true)
            case 1013: (.obey, false, false)
            case 1008: (.refused, false, false)
            case 1002, 1003, 1007, 1009, 1010: (.backoff, false, false)
            case 3000..<5000: (.backoff, false, true)
            default: (.backoff, true, true)
            }
        case .openingRefused(let status): (status == 401 || status == 403 ? .refused : .obey, false, false)
        case .protocolViolation: (.backoff, false, false)
        case .probeUnanswered: (.again, true, true)
        case .connectionLost, .openingTimedOut, .openingFailed, .keepaliveTimedOut, .requestUnavailable, .closedLocally:
            (.backoff, true, true)
        }
    }

    /// A socket, or the attempt at one, is gone against the app's will.
    mutating func failed(
        _ socket: Socket, because reason: DisconnectReason, retryAfter: Duration?, openFor: Int64?, at now: Int64
    ) {
        let rule = verdict(reason)
        let lived = (openFor ?? -1) >= numbers.provenAfter
        if (rule.uptime && lived) || (rule.message && socket.gotMessage && numbers.messageProves) { failures = 0 }
        if rule.verdict != .again { failures += 1 }
        let isWanted = socket.channel == wanted
        if rule.verdict == .refused {
            // Another channel has credentials of its own.
            guard isWanted else { return }
            refusals = lived ? 1 : refusals + 1
        } else if openFor != nil {
            refusals = 0
        }
        let backoff = numbers.backoff(failures)
        var wait = Pause(
            earliest: now + backoff.lowerBound, latest: now + backoff.upperBound,
            reason: .backoff(failure: failures, reason))
        switch rule.verdict {
        case .backoff: break
        case .spread: return demand(5 * Numbers.second, 30 * Numbers.second, of: socket, reason, at: now)
        case .obey:
            let asked = min(retryAfter.map(Self.nanoseconds) ?? 0, numbers.longestDemand)
            // Anything but exactly what was asked for.
            if asked > 0 { return demand(asked + 1, 2 * asked, of: socket, reason, at: now) }
        case .again:
            wait = Pause(
                earliest: now + numbers.foreground, latest: now + numbers.foreground, reason: .replacement)
        case .refused:
            tellRefused = true
            if refusals >= 2 {
                stopped = reason
                return
            }
            wait.reason = .refresh(reason)
        }
        if isWanted { pause = wait.drawn(everyDraw) }
    }

    private mutating func demand(
        _ least: Int64, _ most: Int64, of socket: Socket, _ reason: DisconnectReason, at now: Int64
    ) {
        demands[socket.channel.origin] = Pause(
            earliest: now + least, latest: now + most, reason: .server(reason)
        ).drawn(everyDraw)
        if socket.channel == wanted { pause = nil }
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return min(max(seconds, 0), 1 << 32) * Numbers.second + attoseconds / 1_000_000_000
    }
}
