extension ConnectionMachine {
    mutating func enteredBackground(at now: Instant, _ actions: inout Actions) {
        guard app == .foreground else { return }
        app = .background
        guard let grace = rules.backgroundGrace else { return }
        switch state {
        case .idle, .waiting, .held: return
        case .opening, .open: deadlines.grace = now.advanced(byNanoseconds: grace)
        case .closing: break
        }
        hasBackgroundTime = true
        actions.backgroundTime = .begin
    }

    mutating func enteredForeground(at now: Instant, _ actions: inout Actions) {
        // One return brings several notifications; the first one counts.
        guard app == .background else { return }
        app = .foreground
        deadlines.grace = nil
        stopped = nil
        refusals = 0
        (dueAt, dueReason) = (now.advanced(byNanoseconds: rules.foregroundDebounce), .foreground)
        probe(at: now, &actions)
    }

    /// The system takes the process down in a moment: the Close frame goes out now.
    mutating func backgroundTimeExpired(at now: Instant, _ actions: inout Actions) {
        guard hasBackgroundTime else { return }
        startClosing(because: .stayedInBackground, at: now, &actions)
        endBackgroundTime(&actions)
    }

    mutating func endBackgroundTime(_ actions: inout Actions) {
        hasBackgroundTime = false
        // Begun and ended in one step: the system need not hear of it.
        actions.backgroundTime = actions.backgroundTime == .begin ? nil : .end
    }
}
