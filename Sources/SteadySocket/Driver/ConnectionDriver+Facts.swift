import ConnectionCore
import SteadyTransport

extension ConnectionDriver {
    /// Takes in what the transport of the live attempt reports.
    func factReported(_ fact: TransportFact, by attempt: AttemptID) {
        switch fact {
        case .opened(let result): opened(attempt, result)
        case .message(let message):
            live?.granted -= 1
            // What arrives behind our Close frame belongs to a channel the app has left.
            guard live?.isOpen == true else { return }
            hub.deliver(message)
            apply(.messageReceived(attempt))
            grantReading()
        case .pingReceived, .pongReceived:
            live?.signOfLifeWaits.withLock { $0 = false }
            apply(.frameReceived(attempt))
        case .closed(let close): ended(attempt, close)
        }
    }

    private func opened(_ attempt: AttemptID, _ result: OpeningResult) {
        // The opening crossed our close; the transport sends the Close frame.
        guard live?.closing == nil else { return }
        live?.isOpen = true
        live?.wasOpen = true
        let now = now
        publisher.record(.opened(attempt, result), at: now)
        apply(.opened(attempt))
        publisher.publish(.opened(attempt, result, gap: lastSocketEnd.map { now - $0 }))
        for outgoing in waiting.takeAll() { send(outgoing) }
        grantReading()
    }

    /// Lets the transport report as many messages as the slowest reader has room for.
    func grantReading() {
        guard let current = live, current.isOpen, let socket = current.socket else { return }
        let window = max(1, options.messageWindow)
        let held = hub.held(noticeAt: current.granted == 0 ? window / 2 : nil)
        let room = window - held - current.granted
        // In handfuls, not one by one; but never leave the transport without any while there is room.
        if room >= max(1, window / 2) || (current.granted == 0 && room > 0) {
            live?.granted += room
            socket.receive(room)
        }
        let paused = live?.granted == 0
        guard paused != current.readingPaused else { return }
        live?.readingPaused = paused
        apply(paused ? .readingPaused(current.attempt) : .readingResumed(current.attempt))
    }
}
