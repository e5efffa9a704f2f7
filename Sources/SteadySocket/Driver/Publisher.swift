import ConnectionCore

/// What the outside sees without waiting for the queue: the status, the streams and the decision log.
final class Publisher: Sendable {
    private struct State {
        var status = ConnectionStatus.idle
        var counts = ConnectionCounts()
        var statuses: [UInt64: AsyncStream<ConnectionStatus>.Continuation] = [:]
        var events: [UInt64: AsyncStream<SocketEvent>.Continuation] = [:]
        var nextStream: UInt64 = 0
        var decisions = FIFO<Decision>()
        var finished = false
    }

    private let state = Locked(State())
    private let capacity: Int
    private let log: (@Sendable (LogEntry) -> Void)?
    private let connection: UInt64
    private static let nextConnection = Locked<UInt64>(1)

    init(capacity: Int, log: (@Sendable (LogEntry) -> Void)?) {
        self.capacity = max(0, capacity)
        self.log = log
        connection = Self.nextConnection.withLock { next in
            defer { next += 1 }
            return next
        }
    }

    var status: ConnectionStatus { state.withLock { $0.status } }
    var counts: ConnectionCounts { state.withLock { $0.counts } }
    var decisions: [Decision] { state.withLock { $0.decisions.elements } }

    /// Called on the connection's queue.
    func record(_ kind: Decision.Kind, at now: Instant) {
        let decision = Decision(at: now, kind: kind)
        state.withLock { state in
            switch kind {
            case .opened: state.counts.opened += 1
            case .closed: state.counts.ended += 1
            case .asked, .status, .ping, .close: break
            }
            state.decisions.append(decision)
            if state.decisions.count > capacity { _ = state.decisions.popFirst() }
        }
        log?(decision.logEntry(connection: connection))
    }

    func publish(_ status: ConnectionStatus) {
        for stream in state.withLock({ state in
            state.status = status
            return Array(state.statuses.values)
        }) { stream.yield(status) }
        publish(.statusChanged(status))
    }

    func publish(_ event: SocketEvent) {
        for stream in state.withLock({ Array($0.events.values) }) { stream.yield(event) }
    }

    func statuses() -> AsyncStream<ConnectionStatus> {
        stream(in: \.statuses, buffering: 64) { state, continuation in continuation.yield(state.status) }
    }

    func events() -> AsyncStream<SocketEvent> { stream(in: \.events, buffering: 256) { _, _ in } }

    func finish() {
        let (statuses, events) = state.withLock { state in
            state.finished = true
            defer { (state.statuses, state.events) = ([:], [:]) }
            return (Array(state.statuses.values), Array(state.events.values))
        }
        for stream in statuses { stream.finish() }
        for stream in events { stream.finish() }
    }

    private func stream<Element: Sendable>(
        in table: any WritableKeyPath<State, [UInt64: AsyncStream<Element>.Continuation]> & Sendable, buffering: Int,
        start: (State, AsyncStream<Element>.Continuation) -> Void
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(buffering))
        let id = state.withLock { state -> UInt64? in
            start(state, continuation)
            guard !state.finished else { return nil }
            state.nextStream += 1
            state[keyPath: table][state.nextStream] = continuation
            return state.nextStream
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0[keyPath: table].removeValue(forKey: id) }
        }
        return stream
    }
}
