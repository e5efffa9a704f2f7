public import SteadyTransport

/// The messages of a connection, from all its sockets in turn, for one observer.
///
/// An observer gets every message from the moment it took the stream; the first one also gets what arrived before. The
/// socket is read only as far as the slowest observer has room for (`Options.messageWindow`), so a stream that is kept
/// but not read stops the reading for all; one that is let go does not. Ends when the connection's handle is released,
/// or when the task that reads is cancelled.
public struct Messages: AsyncSequence, Sendable {
    /// The messages.
    public typealias Element = Message

    private let subscription: Subscription

    init(hub: MessageHub) { subscription = Subscription(hub: hub) }

    /// The next message if one has arrived; for tests that run on one thread.
    package func takeArrived() -> Message? { subscription.hub.take(for: subscription.reader) }

    /// Takes messages one at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let subscription: Subscription

        /// The next message; nil at the end.
        public mutating func next() async -> Message? { await subscription.hub.next(for: subscription.reader) }
    }

    /// Iterators of one stream share its messages.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(subscription: subscription) }

    fileprivate final class Subscription: Sendable {
        let hub: MessageHub
        let reader: UInt64

        init(hub: MessageHub) {
            self.hub = hub
            reader = hub.addReader()
        }

        deinit { hub.removeReader(reader) }
    }
}
