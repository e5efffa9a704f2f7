/// Where the machine is. Each case says what may follow; a test compares the whole with the table in `docs/design.md`.
package enum State: Hashable, Sendable {
    /// Nothing asked, nothing open. → waiting, held
    case idle
    /// Asked; the attempt starts at `until`. → opening, held, idle
    case waiting(Waiting)
    /// The opening handshake is under way. → open, closing, waiting, held
    case opening(Opening)
    /// The socket is open. → closing, waiting, held
    case open(Open)
    /// This side closes. → idle, waiting, held, opening
    case closing(Closing)
    /// Asked, but something forbids attempts. → waiting, idle, held for another reason
    case held(HoldReason)

    package struct Waiting: Hashable, Sendable {
        package var since: Instant
        package var until: Instant
        package var reason: WaitReason
    }

    package struct Opening: Hashable, Sendable {
        package var attempt: AttemptID
        package var channel: ChannelID
    }

    package struct Open: Hashable, Sendable {
        package var attempt: AttemptID
        package var channel: ChannelID
        package var since: Instant
        package var messageArrived = false
        package var readingPaused = false
        package var awaiting: Awaited?

        init(from opening: Opening, at now: Instant) {
            attempt = opening.attempt
            channel = opening.channel
            since = now
        }
    }

    /// Which ping is unanswered.
    package enum Awaited: Hashable, Sendable {
        case keepalive
        case probe
    }

    package struct Closing: Hashable, Sendable {
        package var attempt: AttemptID
        package var channel: ChannelID
        /// What made this side give the socket up; nil if it did not fail.
        package var failure: Failure?
        package var cause: LocalCloseCause
    }

    /// How an attempt failed, with what it had achieved.
    package struct Failure: Hashable, Sendable {
        /// In nanoseconds; nil if the socket never opened.
        package var openFor: Int64?
        package var messageArrived = false
        package var reason: DisconnectReason

        /// An attempt that came to no socket.
        init(_ reason: DisconnectReason) { self.reason = reason }

        init(of open: Open, _ reason: DisconnectReason, at now: Instant) {
            openFor = now.nanoseconds.subtractingSaturating(open.since.nanoseconds)
            messageArrived = open.messageArrived
            self.reason = reason
        }
    }
}
