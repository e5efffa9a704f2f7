package import ConnectionCore
import Dispatch

/// Where a socket gets its time from, in two closures, so that a test can put a clock here that moves when told to.
package struct Scheduler: Sendable {
    /// The present, on a monotonic line that goes on while the device sleeps.
    package var now: @Sendable () -> Instant
    /// Calls the closure once, at or after the instant, on any thread. The closure it returns takes the order back; it
    /// may come too late.
    package var schedule: @Sendable (Instant, @escaping @Sendable () -> Void) -> @Sendable () -> Void

    package init(
        now: @escaping @Sendable () -> Instant,
        schedule: @escaping @Sendable (Instant, @escaping @Sendable () -> Void) -> @Sendable () -> Void
    ) {
        self.now = now
        self.schedule = schedule
    }

    /// The time of the system.
    package static let system = Scheduler(
        now: { .zero + (ContinuousClock.now - origin) },
        schedule: { instant, fire in
            // In milliseconds, rounded up: nanoseconds do not fit the Int of a watch beyond 2 s.
            let delay = max(0, (instant - (.zero + (ContinuousClock.now - origin))).inNanoseconds)
            let milliseconds = Int(clamping: delay / 1_000_000 + 1)
            // Not asyncAfter: it would hold the closure until the time has come even if it is taken back.
            // `nonisolated(unsafe)` holds because dispatch sources may be cancelled from any thread.
            nonisolated(unsafe) let source = DispatchSource.makeTimerSource(queue: queue)
            // The handler holds the source until it has fired or was taken back; cancelling lets go of the handler.
            source.setEventHandler {
                source.cancel()
                fire()
            }
            source.schedule(
                deadline: .now() + .milliseconds(milliseconds), leeway: .milliseconds(min(milliseconds / 10, 1000)))
            source.activate()
            return { source.cancel() }
        })

    private static let origin = ContinuousClock.now
    private static let queue = DispatchQueue(label: "SteadySocket.URLSessionTransport.timer", qos: .utility)
}
