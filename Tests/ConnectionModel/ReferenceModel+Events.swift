import ConnectionCore

extension ReferenceModel {
    mutating func take(_ event: ConnectionEvent, at now: Int64, _ must: inout Actions) {
        switch event {
        case .ask(let channel): ask(channel, at: now)
        case .disconnect(let cause):
            wanted = nil
            burst = nil
            pause = nil
            stopped = nil
            refusals = 0
            tellRefused = false
            close(because: cause, at: now, &must)
        case .opened(let attempt):
            guard isOpening(attempt) else { return }
            socket?.openSince = now
            socket?.nextPing = now + numbers.pingEvery
        case .messageReceived(let attempt):
            guard isOpen(attempt) else { return }
            socket?.gotMessage = true
            socket?.question = nil
        case .frameReceived(let attempt):
            guard isOpen(attempt) else { return }
            socket?.question = nil
        case .readingPaused(let attempt): reading(attempt, paused: true)
        case .readingResumed(let attempt): reading(attempt, paused: false)
        case .ended(let attempt, let reason, let retryAfter):
            guard let over = socket, over.attempt == attempt.number else { return }
            socket = nil
            must.ping = nil
            must.close = nil
            if let closing = over.closing {
                // Who closes first names the cause; what the peer does afterwards is an answer.
                guard let failure = closing.failure else { return }
                failed(over, because: failure, retryAfter: nil, openFor: closing.openFor, at: now)
            } else {
                failed(over, because: reason, retryAfter: retryAfter, openFor: over.openSince.map { now - $0 }, at: now)
            }
        case .enteredBackground:
            guard inForeground else { return }
            inForeground = false
            guard let socket else { return }
            if socket.closing == nil { self.socket?.graceEnds = now + numbers.grace }
            holdsBackgroundTime = true
            must.backgroundTime = .begin
        case .enteredForeground:
            guard !inForeground else { return }
            inForeground = true
            socket?.graceEnds = nil
            stopped = nil
            refusals = 0
            pause = Pause(earliest: now + numbers.foreground, latest: now + numbers.foreground, reason: .foreground)
            probe(at: now, &must)
        case .backgroundTimeExpired:
            guard holdsBackgroundTime else { return }
            holdsBackgroundTime = false
            must.backgroundTime = .end
            close(because: .stayedInBackground, at: now, &must)
        case .pathChanged(let next): pathChanged(to: next, at: now, &must)
        case .timeReached: break
        }
    }

    private mutating func ask(_ channel: ChannelID, at now: Int64) {
        let tryAgain = stopped != nil
        stopped = nil
        if channel == wanted, !tryAgain { return }
        if channel != wanted { tellRefused = false }
        wanted = channel
        refusals = 0
        pause = nil
        if let socket, socket.closing == nil, socket.channel == channel {
            burst = nil
        } else {
            let began = burst?.began ?? now
            burst = Burst(began: began, settles: min(now + numbers.quiet, began + numbers.ceiling))
        }
    }

    private mutating func pathChanged(to next: NetworkPath, at now: Int64, _ must: inout Actions) {
        let before = path
        path = next
        guard next != before, before != .unknown, next != .offline else { return }
        probe(at: now, &must)
        guard before == .offline, wanted.map(\.needsNetwork) ?? true else { return }
        if numbers.networkReturnStartsOver { failures = 0 }
        pause = Pause(
            earliest: now + numbers.networkReturn.lowerBound, latest: now + numbers.networkReturn.upperBound,
            reason: .networkReturn
        ).drawn(everyDraw)
    }

    private mutating func reading(_ attempt: AttemptID, paused: Bool) {
        guard isOpen(attempt), socket?.paused != paused else { return }
        socket?.paused = paused
        socket?.question = nil
    }

    private func isOpening(_ attempt: AttemptID) -> Bool {
        guard let socket, socket.attempt == attempt.number else { return false }
        return socket.openSince == nil && socket.closing == nil
    }

    private func isOpen(_ attempt: AttemptID) -> Bool {
        guard let socket, socket.attempt == attempt.number else { return false }
        return socket.openSince != nil && socket.closing == nil
    }
}
