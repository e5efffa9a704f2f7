internal import ConnectionCore
internal import Dispatch
internal import SteadySocket

/// The system's time, so many times faster. The connection runs its real configuration and does not know.
struct ScaledTime: TimeSource {
    let speed: Double
    private let base = SystemTime()

    init(speed: Double) { self.speed = speed }

    var now: Instant { Instant(nanoseconds: Int64(Double(base.now.nanoseconds) * speed)) }

    func makeWakeUp(on queue: DispatchQueue, fire: @escaping @Sendable () -> Void) -> any WakeUp {
        ScaledWakeUp(base: base.makeWakeUp(on: queue, fire: fire), speed: speed)
    }

    private final class ScaledWakeUp: WakeUp {
        private let base: any WakeUp
        private let speed: Double

        init(base: any WakeUp, speed: Double) {
            self.base = base
            self.speed = speed
        }

        func arm(at instant: Instant) {
            // Rounded up: a wake-up a nanosecond early would only be repeated.
            base.arm(at: Instant(nanoseconds: Int64((Double(instant.nanoseconds) / speed).rounded(.up))))
        }

        func disarm() { base.disarm() }
    }
}
