public import ConnectionCore
public import Dispatch

/// Where a connection gets its time from. Tests put a clock here that moves only when told to.
public protocol TimeSource: Sendable {
    /// The present, on a monotonic line that goes on while the device sleeps. Any thread.
    var now: Instant { get }

    /// Makes the one timer of a connection. `fire` is called on `queue`.
    func makeWakeUp(on queue: DispatchQueue, fire: @escaping @Sendable () -> Void) -> any WakeUp
}

/// A timer that can be set again and again. Its methods are called on the connection's queue.
public protocol WakeUp: AnyObject {
    /// Fires once, at or after `instant`; replaces what was set before. Early and late firings are harmless.
    func arm(at instant: Instant)
    /// Fires no more until armed again.
    func disarm()
}

/// The time of the system: `ContinuousClock` for the present, a dispatch timer for waking up.
///
/// A dispatch timer stands still while the device sleeps and so fires late; whoever is woken reads `now` and knows.
public struct SystemTime: TimeSource {
    private static let origin = ContinuousClock.now

    /// Makes a source. All sources of a process share one origin.
    public init() {}

    /// The time since the first use in this process.
    public var now: Instant { .zero + (ContinuousClock.now - Self.origin) }

    /// A dispatch timer on `queue`.
    public func makeWakeUp(on queue: DispatchQueue, fire: @escaping @Sendable () -> Void) -> any WakeUp {
        DispatchWakeUp(time: self, queue: queue, fire: fire)
    }
}

private final class DispatchWakeUp: WakeUp {
    private let time: SystemTime
    private let source: any DispatchSourceTimer

    init(time: SystemTime, queue: DispatchQueue, fire: @escaping @Sendable () -> Void) {
        self.time = time
        source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler(handler: fire)
        source.activate()
    }

    deinit { source.cancel() }

    func arm(at instant: Instant) {
        let delay = max(0, (instant - time.now).inNanoseconds)
        // Leeway lets the system merge wake-ups; nothing here needs better than a tenth of its wait. It stays well below
        // what counts as a suspension (`Configuration.suspensionThreshold`).
        let leeway = min(delay / 10, 500_000_000)
        source.schedule(deadline: .now() + interval(delay), leeway: interval(leeway))
    }

    /// Microseconds rounded up, so that a short wait does not fire early again and again; an `Int` of a watch has 32 bits
    /// and holds 35 minutes of them, after which the wake-up comes early, which is harmless.
    private func interval(_ nanoseconds: Int64) -> DispatchTimeInterval {
        .microseconds(Int(clamping: (nanoseconds + 999) / 1000))
    }

    func disarm() { source.schedule(deadline: .distantFuture) }
}
