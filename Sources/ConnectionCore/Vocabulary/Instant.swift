/// A point on the monotonic line the caller chose, in nanoseconds since its origin.
///
/// The core never reads a clock: every event carries the instant at which it happened. The line must go on while the
/// device sleeps (`ContinuousClock` does), so that a suspended process can be told from a silent peer.
public struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the origin of the line.
    public var nanoseconds: Int64

    /// Makes the instant `nanoseconds` after the origin.
    @inlinable
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The origin of the line.
    public static var zero: Instant { Instant(nanoseconds: 0) }

    /// Whether the left instant comes first.
    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Moves later by `duration`; saturates instead of overflowing.
    public static func + (instant: Instant, duration: Duration) -> Instant {
        instant.advanced(byNanoseconds: duration.inNanoseconds)
    }

    /// The time from `right` to `left`; negative when `left` is earlier.
    public static func - (left: Instant, right: Instant) -> Duration {
        .nanoseconds(left.nanoseconds.subtractingSaturating(right.nanoseconds))
    }

    @inlinable
    package func advanced(byNanoseconds amount: Int64) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(amount)
        return Instant(nanoseconds: overflow ? (amount > 0 ? .max : .min) : sum)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, rounded toward zero and clamped to what 64 bits hold (292 years).
    package var inNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds > 0 ? .max : .min }
        let (sum, carried) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carried ? (product > 0 ? .max : .min) : sum
    }

    /// The duration in seconds, for people to read.
    package var inSeconds: Double { Double(inNanoseconds) / 1e9 }
}

extension Int64 {
    func subtractingSaturating(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self > 0 ? .max : .min) : difference
    }
}
