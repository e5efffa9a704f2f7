package import ConnectionCore

/// The states of the edge table in `docs/design.md`.
package enum StateKind: String, CaseIterable, Sendable {
    case idle, waiting, opening, open, closing, held

    package init(_ state: State) {
        switch state {
        case .idle: self = .idle
        case .waiting: self = .waiting
        case .opening: self = .opening
        case .open: self = .open
        case .closing: self = .closing
        case .held: self = .held
        }
    }
}

/// The events of the edge table in `docs/design.md`, by their names in `ConnectionEvent`.
package enum EventKind: String, CaseIterable, Sendable {
    case ask, disconnect, opened, messageReceived, frameReceived, readingPaused, readingResumed, ended,
        enteredBackground, enteredForeground, backgroundTimeExpired, pathChanged, timeReached

    package init(_ event: ConnectionEvent) {
        switch event {
        case .ask: self = .ask
        case .disconnect: self = .disconnect
        case .opened: self = .opened
        case .messageReceived: self = .messageReceived
        case .frameReceived: self = .frameReceived
        case .readingPaused: self = .readingPaused
        case .readingResumed: self = .readingResumed
        case .ended: self = .ended
        case .enteredBackground: self = .enteredBackground
        case .enteredForeground: self = .enteredForeground
        case .backgroundTimeExpired: self = .backgroundTimeExpired
        case .pathChanged: self = .pathChanged
        case .timeReached: self = .timeReached
        }
    }

    package init(_ symbol: Symbol) { self.init(symbol.event(newest: AttemptID(1))) }
}

/// A step of the machine between kinds of states.
package struct Edge: Hashable, Sendable {
    package var from: StateKind
    package var event: EventKind
    package var to: StateKind

    /// nil if nothing happened, or if something was overdue before it: that is the passing of time first.
    init?(_ step: Step, from before: ConnectionMachine, at now: Int64, to after: ConnectionMachine) {
        let deadline = before.nextDeadline
        switch step {
        case .wait: return nil
        case .wake:
            guard deadline != nil else { return nil }
            event = .timeReached
        case .event(let symbol):
            if let deadline, deadline.nanoseconds <= now { return nil }
            event = EventKind(symbol)
        }
        from = StateKind(before.state)
        to = StateKind(after.state)
    }
}
