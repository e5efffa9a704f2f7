public import ConnectionCore
public import Observation

extension SteadySocket {
    /// A mirror of a connection for SwiftUI and everything else that observes: what it is doing, and how much it did.
    ///
    /// It follows the connection a moment later, on the main actor, and keeps the connection's handle for as long as it
    /// lives. On systems before iOS 17 and macOS 14 use `statuses` and `events`.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    @MainActor @Observable public final class Observed {
        /// The connection itself, for everything but watching.
        public nonisolated let socket: SteadySocket
        /// See `SteadySocket.status`.
        public private(set) var status: ConnectionStatus
        /// See `SteadySocket.counts`.
        public private(set) var counts: ConnectionCounts

        @ObservationIgnored private var follower: Task<Void, Never>?

        /// Mirrors a connection from now on.
        public init(_ socket: SteadySocket) {
            self.socket = socket
            // Subscribed first, so that nothing falls between the snapshot and the events.
            let events = socket.events
            status = socket.status
            counts = socket.counts
            follower = Task { [weak self] in
                for await _ in events {
                    guard let self else { return }
                    refresh()
                }
            }
        }

        deinit { follower?.cancel() }

        /// Events only say that there is something new; the snapshots are always right, even if events were dropped.
        private func refresh() {
            let (newStatus, newCounts) = (socket.status, socket.counts)
            if status != newStatus { status = newStatus }
            if counts != newCounts { counts = newCounts }
        }
    }
}
