import ConnectionCore
import SteadyTransport

/// A message on its way out. `completion` is called exactly once.
struct OutgoingMessage: Sendable {
    let id: UInt64
    let message: Message
    /// Until when it may wait for a socket to open; nil means that it does not wait.
    let deadline: Instant?
    let completion: @Sendable (ConnectionError?) -> Void
}

/// The messages that wait for a socket to open, in order, within a bound.
struct WaitingSends {
    private var queue = FIFO<OutgoingMessage>()
    private var bytes = 0
    let maximumCount: Int
    let maximumBytes: Int

    init(maximumCount: Int, maximumBytes: Int) {
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
    }

    var nextDeadline: Instant? { queue.isEmpty ? nil : queue.elements.compactMap(\.deadline).min() }

    /// Nil if there was room.
    mutating func append(_ outgoing: OutgoingMessage) -> ConnectionError? {
        let size = outgoing.message.byteCount
        // One message is always accepted by an empty queue, or a large one could never wait.
        guard queue.count < maximumCount, queue.isEmpty || bytes + size <= maximumBytes else {
            return ConnectionError(
                .queueFull,
                "\(queue.count) messages (\(bytes) bytes) already wait for the socket to open; the bound is "
                    + "\(maximumCount) messages and \(maximumBytes) bytes")
        }
        bytes += size
        queue.append(outgoing)
        return nil
    }

    mutating func takeAll() -> [OutgoingMessage] {
        defer {
            queue = FIFO()
            bytes = 0
        }
        return queue.elements
    }

    mutating func take(where condition: (OutgoingMessage) -> Bool) -> [OutgoingMessage] {
        guard !queue.isEmpty else { return [] }
        let taken = queue.remove(where: condition)
        bytes -= taken.reduce(0) { $0 + $1.message.byteCount }
        return taken
    }
}
