/// How long to wait after the n-th failure in a row (the terms are those of gRPC's connection backoff).
///
/// Defaults, before jitter:
///
/// | failure | 1 | 2 | 3 | 4 | 5 | 6 and more |
/// |---|---|---|---|---|---|---|
/// | base in seconds | 2 | 4 | 8 | 16 | 32 | 60 |
public struct Backoff: Hashable, Sendable {
    /// How a delay is drawn around its base.
    public enum Jitter: Hashable, Sendable {
        /// Uniform within ± this fraction of the base, after the cap: the longest delay is `maximum` × (1 + fraction).
        /// Clamped to 0...1; NaN counts as 0.
        case proportional(Double)
        /// Uniform between 0 and twice the base, never more than `maximum`. The mean of the first delays stays the
        /// same, and a fleet dropped at once comes back with the lowest peak a mean allows.
        case window
    }

    /// The base after the first failure, before jitter. Default 2 s. Negative counts as zero.
    public var initial: Duration
    /// By what the base grows with each further failure. Default 2. Below 1 and NaN count as 1.
    public var multiplier: Double
    /// The largest base, applied before jitter. Default 60 s. Negative counts as zero.
    public var maximum: Duration
    /// Default ±20 %.
    public var jitter: Jitter

    /// Makes a backoff; every value has the default its property documents.
    public init(
        initial: Duration = .seconds(2), multiplier: Double = 2, maximum: Duration = .seconds(60),
        jitter: Jitter = .proportional(0.2)
    ) {
        self.initial = initial
        self.multiplier = multiplier
        self.maximum = maximum
        self.jitter = jitter
    }

    /// The base after failure number `failure`, counted from 1, before jitter. Any number is allowed.
    public func base(forFailure failure: Int) -> Duration {
        let cap = Double(max(0, maximum.inNanoseconds))
        let growth = multiplier >= 1 ? multiplier : 1
        var base = min(Double(max(0, initial.inNanoseconds)), cap)
        guard growth > 1, base > 0 else { return .nanoseconds(Self.whole(base)) }
        // From 1 on, so that not even the smallest number can overflow.
        let failure = max(1, failure)
        var left = failure - 1
        while left > 0, base < cap {
            base = min(base * growth, cap)
            left -= 1
            // With a growth a hair above 1 the loop would be long; no ladder needs more steps than this.
            if failure - left > 4096 { return .nanoseconds(Self.whole(cap)) }
        }
        return .nanoseconds(Self.whole(base))
    }

    /// Draws the delay after failure number `failure`, counted from 1.
    public func delay(forFailure failure: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        .nanoseconds(bounds(forFailure: failure).uniform(using: &generator))
    }

    /// The shortest and the longest delay after failure number `failure`, in nanoseconds.
    package func bounds(forFailure failure: Int) -> ClosedRange<Int64> {
        let base = base(forFailure: failure).inNanoseconds
        switch jitter {
        case .proportional(let fraction):
            // Near 2^63 the product can round up beyond the base.
            let part = min(base, Self.whole(Double(base) * min(1, max(0, fraction.isNaN ? 0 : fraction))))
            let (high, overflow) = base.addingReportingOverflow(part)
            return (base - part)...(overflow ? .max : high)
        case .window:
            let (double, overflow) = base.multipliedReportingOverflow(by: 2)
            return 0...min(overflow ? .max : double, max(0, maximum.inNanoseconds))
        }
    }

    /// `Int64(_:)` traps from 2^63 on.
    private static func whole(_ value: Double) -> Int64 { value >= 9.2e18 ? .max : Int64(value) }
}

extension ClosedRange<Int64> {
    /// Draws one number, both ends included, with exactly one call of the generator.
    ///
    /// Uniform but for one part in 2^64 / width, 3 × 10⁻⁹ for a minute in nanoseconds. `Int64.random(in:using:)` would
    /// be exact, but for a generic generator it runs unspecialised and takes longer than the rest of the event.
    func uniform(using generator: inout some RandomNumberGenerator) -> Int64 {
        // The bounds of waits are not negative, so the width fits.
        let width = UInt64(bitPattern: upperBound &- lowerBound) &+ 1
        return lowerBound &+ Int64(bitPattern: generator.next().multipliedFullWidth(by: width).high)
    }
}
