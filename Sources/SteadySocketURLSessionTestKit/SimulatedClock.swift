import ConnectionCore
import Dispatch
import SteadySocket

/// A source of time as something that calls back once.
struct SimulatedClock: Sendable {
    let time: any TimeSource
    private let queue = DispatchQueue(label: "URLSessionSimulator.timer")

    init(time: any TimeSource) { self.time = time }

    /// Calls `fire` at or after the instant, unless what it returns was called before.
    func schedule(_ instant: Instant, _ fire: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let holder = WakeUpHolder()
        // The wake-up lives until it has fired or was taken back.
        holder.arm(time.makeWakeUp(on: queue) { if holder.take() { fire() } }, at: instant)
        return { _ = holder.take() }
    }

    /// Calls `work` after `delay`.
    func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) { _ = schedule(time.now + delay, work) }
}

/// One use of a wake-up.
private final class WakeUpHolder: Sendable {
    /// `@unchecked Sendable` holds because the wake-up is reached under the holder's lock alone.
    private struct Box: @unchecked Sendable { var wakeUp: (any WakeUp)? }

    private let box = Locked(Box())

    func arm(_ wakeUp: sending any WakeUp, at instant: Instant) {
        let box = Box(wakeUp: wakeUp)
        self.box.withLock { $0 = box }
        box.wakeUp?.arm(at: instant)
    }

    /// Whether it was still there.
    func take() -> Bool {
        let taken = box.withLock { box in
            defer { box.wakeUp = nil }
            return box
        }
        taken.wakeUp?.disarm()
        return taken.wakeUp != nil
    }
}
