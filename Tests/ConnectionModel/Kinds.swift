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
