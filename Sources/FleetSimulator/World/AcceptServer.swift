/// A server, or what stands before it, that accepts so many connections per second and refuses the rest with 503.
///
/// A token bucket that holds what comes in within `interval` (Envoy's local rate limit with `max_tokens` equal to
/// `tokens_per_fill`). An accept costs one token, a refusal `refusalCost` of one, so that a server busy with
/// refusing accepts less; it owes at most one interval of that work.
package struct AcceptServer: Sendable {
    /// What a refusal says in `Retry-After`. The header is in whole seconds.
    package enum RetryAfter: Hashable, Sendable {
        case none
        /// The same number of seconds for everyone.
        case fixed(Int)
        /// A number drawn for each refusal, uniform in 1 … this many seconds.
        case window(Int)
        /// The turn in a queue that is served at the accept rate less 3 %.
        case slot
    }

    /// What happens to an attempt while the service is down.
    package enum Outage: String, CaseIterable, Sendable {
        /// Refused at once, as by a load balancer without a backend.
        case refuse
        /// Never answered, as by a dead host.
        case silent
    }

    enum Answer {
        case accept
        case refuse(retryAfter: UInt16)
        case silence
    }

    /// Accepts per second; nil accepts everyone.
    package var rate: Double?
    /// How the bucket fills.
    package enum Refill: String, CaseIterable, Sendable {
        /// All tokens of an interval at its start.
        case stepwise = "steps"
        /// Each token when it is due.
        case continuous
    }

    /// Seconds. Default 0.05.
    package var interval = 0.05
    package var refill = Refill.stepwise
    /// Tokens per refusal. Default 0.
    package var refusalCost = 0.0
    package var retryAfter = RetryAfter.none
    package var outage = Outage.refuse
    /// The service is down until then, in nanoseconds.
    package var downUntil: Int64 = 0

    private var tokens = 0.0
    /// When tokens came last: an instant, or the number of steps since the outage ended.
    private var filledAt: Int64 = 0
    private var nextSlot = 0.0

    package init(rate: Double?) { self.rate = rate }

    /// Answers an attempt. Attempts come in the order of time.
    @inline(__always)
    mutating func answer(at now: Int64, using generator: inout FleetGenerator) -> Answer {
        guard now >= downUntil else {
            switch outage {
            case .refuse: return .refuse(retryAfter: 0)
            case .silent: return .silence
            }
        }
        guard let rate else { return .accept }
        fill(rate, at: now)
        guard tokens < 1 else {
            tokens -= 1
            return .accept
        }
        if refusalCost > 0 { tokens = max(-max(1, rate * interval), tokens - refusalCost) }
        switch retryAfter {
        case .none: return .refuse(retryAfter: 0)
        case .fixed(let seconds): return .refuse(retryAfter: UInt16(clamping: seconds))
        case .window(let seconds):
            return .refuse(retryAfter: UInt16(clamping: 1 + Int(generator.unit() * Double(seconds))))
        case .slot:
            let seconds = Double(now) * 1e-9
            nextSlot = max(nextSlot, seconds) + 1 / (0.97 * rate)
            return .refuse(retryAfter: UInt16(clamping: Int((nextSlot - seconds).rounded(.up))))
        }
    }

    private mutating func fill(_ rate: Double, at now: Int64) {
        let capacity = max(1, rate * interval)
        switch refill {
        case .continuous:
            let since = max(filledAt, downUntil)
            tokens = min(capacity, tokens + Double(now - since) * 1e-9 * rate)
            filledAt = now
        case .stepwise:
            let step = max(1, Int64(interval * 1e9))
            let steps = (now - downUntil) / step + 1
            tokens = min(capacity, tokens + Double(steps - filledAt) * rate * interval)
            filledAt = steps
        }
    }
}
