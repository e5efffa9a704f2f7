package import ConnectionCore

/// How the server treats sockets. It can be changed at any time; what is counted or timed from the opening of a socket
/// follows the behaviour in force when it opened.
package struct Behaviour: Hashable, Sendable {
    /// Every upgrade gets this answer. Default nil: they are accepted.
    package var refusal: Refusal?
    /// How fast upgrades are accepted. Default nil: at once.
    package var acceptRate: AcceptRate?
    /// A text message to every socket as it opens. Default nil.
    package var hello: String?
    /// Whether messages are sent back. Default true.
    package var echoes = true
    /// What befalls a socket this long after it opened. Default: nothing.
    package var timedFates: [TimedFate] = []
    /// What befalls a socket with its nth message, counted from 1; that message is still echoed. Default nil.
    package var messageFate: MessageFate?

    package init() {}

    package struct TimedFate: Hashable, Sendable {
        package var after: Duration
        package var fate: Fate

        package init(after: Duration, _ fate: Fate) {
            self.after = after
            self.fate = fate
        }
    }

    package struct MessageFate: Hashable, Sendable {
        package var messages: Int
        package var fate: Fate

        package init(messages: Int, _ fate: Fate) {
            self.messages = messages
            self.fate = fate
        }
    }
}

/// What the server does to an open socket.
package enum Fate: Hashable, Sendable {
    /// A closing handshake with this code and reason.
    case close(CloseCode, reason: String = "")
    /// A closing handshake with an empty Close frame; the client sees 1005.
    case closeWithoutCode
    /// The TCP connection ends without a Close frame; the client sees 1006.
    case drop
    /// The server stops answering: it reads nothing, sends nothing, answers neither Ping nor Close. When the client has
    /// hung up, what it sent meanwhile is read, so that the record tells whether it said goodbye.
    case silence
}

/// What a client meets while the server is down.
package enum Outage: Hashable, Sendable {
    /// Nobody listens: TCP refuses the connection. Attempts cannot be counted. The port stays reserved.
    case unreachable
    /// Connections are taken and dropped at once; each counts as a refusal without status.
    case dropping
    /// Upgrades get this answer.
    case refusing(Refusal)
}

/// Which sockets a command is for.
package enum Selection: Hashable, Sendable {
    case all
    case one(UInt64)
}

/// How many upgrades per second are accepted, and what happens to the others.
package struct AcceptRate: Hashable, Sendable {
    package enum Excess: Hashable, Sendable {
        /// They get this answer.
        case refuse(Refusal)
        /// They wait for their turn, first come first served.
        case wait
    }

    /// Above 0.
    package var perSecond: Double
    package var excess: Excess

    package init(perSecond: Double, excess: Excess = .refuse(Refusal(503))) {
        self.perSecond = perSecond
        self.excess = excess
    }
}

/// Keeps a rate: upgrades are spaced evenly, and what was not used of the last tenth of a second may be caught up with.
package struct AcceptPacer: Sendable {
    private let interval: Int64
    private let slack: Int64
    /// When the next upgrade would be due if all came evenly spaced.
    private var due = Instant(nanoseconds: .min)

    package init(perSecond: Double) {
        // The bound keeps a rate next to zero from overflowing: 127 years between two turns.
        interval = Int64(min(1e9 / perSecond, 4e18))
        slack = max(0, 100_000_000 - interval)
    }

    /// Takes one turn if there is one at `now`.
    package mutating func take(at now: Instant) -> Bool {
        guard now >= nextTurn else { return false }
        due = max(due, now.advanced(byNanoseconds: -slack)).advanced(byNanoseconds: interval)
        return true
    }

    /// The earliest time of the next turn.
    package var nextTurn: Instant { due }
}
