public import ConnectionCore
public import Dispatch
public import SteadySocket

/// A clock that moves only when told to.
///
/// Drive it on the connection's queue, `queue.sync { time.advance(by: .seconds(5)) }`: calls into the connection from
/// there take effect at once, so the test runs on one thread.
public final class ManualTime: TimeSource {
    private struct Inner {
        var now = Instant.zero
        var armed: [UInt64: (at: Instant, fire: @Sendable () -> Void)] = [:]
        var nextID: UInt64 = 0
    }

    private let inner = Locked(Inner())

    /// Makes a clock that stands at zero.
    public init() {}

    /// The time it shows.
    public var now: Instant { inner.withLock { $0.now } }

    /// How many timers are armed.
    public var armedCount: Int { inner.withLock { $0.armed.count } }

    /// The earliest moment at which a timer fires; nil if none is armed.
    public var nextFiring: Instant? { inner.withLock { $0.armed.values.map(\.at).min() } }

    /// Makes a timer that fires during `advance`.
    public func makeWakeUp(on queue: DispatchQueue, fire: @escaping @Sendable () -> Void) -> any WakeUp {
        let id = inner.withLock { inner in
            inner.nextID += 1
            return inner.nextID
        }
        return Timer(time: self, id: id, fire: fire)
    }

    /// Moves on, stopping at every timer on the way, in the order of time.
    public func advance(by duration: Duration) { advance(to: now + duration) }

    /// Moves on to `target`, stopping at every timer on the way, in the order of time.
    public func advance(to target: Instant) {
        while let fire = takeNext(until: target) { fire() }
        inner.withLock { $0.now = max($0.now, target) }
    }

    /// Time passes but no timer fires: the process is suspended. Timers that became due fire with the next `advance`.
    public func suspend(for duration: Duration) { inner.withLock { $0.now = $0.now + duration } }

    private func takeNext(until target: Instant) -> (@Sendable () -> Void)? {
        inner.withLock { inner in
            guard let (id, next) = inner.armed.min(by: { ($0.value.at, $0.key) < ($1.value.at, $1.key) }),
                next.at <= target
            else { return nil }
            inner.armed[id] = nil
            inner.now = max(inner.now, next.at)
            return next.fire
        }
    }

    private final class Timer: WakeUp {
        private let time: ManualTime
        private let id: UInt64
        private let fire: @Sendable () -> Void

        init(time: ManualTime, id: UInt64, fire: @escaping @Sendable () -> Void) {
            self.time = time
            self.id = id
            self.fire = fire
        }

        deinit { disarm() }

        func arm(at instant: Instant) { time.inner.withLock { $0.armed[id] = (instant, fire) } }
        func disarm() { time.inner.withLock { _ = $0.armed.removeValue(forKey: id) } }
    }
}
