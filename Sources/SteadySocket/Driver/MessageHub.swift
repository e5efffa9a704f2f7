import SteadyTransport

/// Holds what arrived until each reader has taken it, and knows how far the slowest reader is behind.
///
/// While nobody reads, messages wait for the first reader, so that a greeting that follows the opening at once is not
/// lost. Nothing is ever dropped: the driver asks the transport for no more than the window has room for.
final class MessageHub: Sendable {
    private struct Reader {
        var buffer = FIFO<Message>()
        var waiting: [CheckedContinuation<Message?, Never>] = []
    }

    private struct State {
        var readers: [UInt64: Reader] = [:]
        var backlog = FIFO<Message>()
        var nextReader: UInt64 = 0
        var finished = false
        /// Tell the driver as soon as no more than this many messages are held.
        var noticeAt: Int?

        var held: Int { readers.isEmpty ? backlog.count : readers.values.reduce(0) { max($0, $1.buffer.count) } }

        mutating func noticeDue() -> Bool {
            guard let noticeAt, held <= noticeAt else { return false }
            self.noticeAt = nil
            return true
        }
    }

    private let state = Locked(State())
    private let onRoom: @Sendable () -> Void

    /// `onRoom` is called on any thread after `held(noticeAt:)` asked for it.
    init(onRoom: @escaping @Sendable () -> Void) { self.onRoom = onRoom }

    /// How many messages the slowest reader has not taken. With `noticeAt`, `onRoom` is called once that few are left.
    func held(noticeAt limit: Int? = nil) -> Int {
        state.withLock { state in
            let held = state.held
            if let limit, held > limit { state.noticeAt = limit }
            return held
        }
    }

    func deliver(_ message: Message) {
        let woken: [CheckedContinuation<Message?, Never>] = state.withLock { state in
            guard !state.readers.isEmpty else {
                state.backlog.append(message)
                return []
            }
            var woken: [CheckedContinuation<Message?, Never>] = []
            for id in state.readers.keys {
                if state.readers[id]?.waiting.isEmpty == false, let first = state.readers[id]?.waiting.removeFirst() {
                    woken.append(first)
                } else {
                    state.readers[id]?.buffer.append(message)
                }
            }
            return woken
        }
        for continuation in woken { continuation.resume(returning: message) }
    }

    /// Ends every stream once its reader has taken what is held.
    func finish() {
        let waiting = state.withLock { state in
            state.finished = true
            let waiting = state.readers.values.flatMap(\.waiting)
            for id in state.readers.keys { state.readers[id]?.waiting = [] }
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }

    func addReader() -> UInt64 {
        state.withLock { state in
            var reader = Reader()
            if state.readers.isEmpty { swap(&reader.buffer, &state.backlog) }
            state.nextReader += 1
            state.readers[state.nextReader] = reader
            return state.nextReader
        }
    }

    /// The last reader leaves what it has not taken to the next one.
    func removeReader(_ id: UInt64) {
        let (waiting, notice) = state.withLock { state in
            let reader = state.readers.removeValue(forKey: id)
            if let reader, state.readers.isEmpty { state.backlog = reader.buffer }
            return (reader?.waiting ?? [], state.noticeDue())
        }
        for continuation in waiting { continuation.resume(returning: nil) }
        if notice { onRoom() }
    }

    /// The next message for this reader if one is held.
    func take(for id: UInt64) -> Message? {
        let (message, notice) = state.withLock { state in
            guard let message = state.readers[id]?.buffer.popFirst() else { return (nil as Message?, false) }
            return (message, state.noticeDue())
        }
        if notice { onRoom() }
        return message
    }

    func next(for id: UInt64) async -> Message? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (answer, notice): (Message??, Bool) = state.withLock { state in
                    guard let message = state.readers[id]?.buffer.popFirst() else {
                        if state.finished || state.readers[id] == nil || Task.isCancelled { return (.some(nil), false) }
                        state.readers[id]?.waiting.append(continuation)
                        return (nil, false)
                    }
                    return (message, state.noticeDue())
                }
                if notice { onRoom() }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            // A cancelled reader is done, wherever it waits.
            removeReader(id)
        }
    }
}
