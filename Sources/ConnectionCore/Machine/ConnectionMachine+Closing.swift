extension ConnectionMachine {
    /// Starts the closing handshake of the socket that is opening or open; without one there is nothing to close.
    mutating func startClosing(
        because cause: LocalCloseCause, at now: Instant, failure: State.Failure? = nil, _ actions: inout Actions
    ) {
        let attempt: AttemptID
        let channel: ChannelID
        switch state {
        case .idle, .waiting, .held, .closing: return
        case .opening(let opening): (attempt, channel) = (opening.attempt, opening.channel)
        case .open(let open): (attempt, channel) = (open.attempt, open.channel)
        }
        deadlines.clearSocket()
        deadlines.closing = now.advanced(byNanoseconds: rules.closingHandshake)
        // Nobody waits for the answer to a ping any more.
        actions.ping = nil
        actions.close = Actions.Close(attempt: attempt, cause: cause)
        enter(
            .closing(State.Closing(attempt: attempt, channel: channel, failure: failure, cause: cause)), &actions)
    }

    mutating func expireClosing(
        _ closing: State.Closing, at now: Instant, using generator: inout some RandomNumberGenerator,
        _ actions: inout Actions
    ) {
        guard let deadline = deadlines.closing, deadline <= now else { return }
        actions.abandon = closing.attempt
        socketGone(&actions)
        if let failure = closing.failure { record(failure, of: closing.channel, at: now, using: &generator) }
    }
}
