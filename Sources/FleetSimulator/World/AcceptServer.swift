/// A server, or what stands before it, that accepts so many connections per second and refuses the rest with 503.
///
/// A token bucket: `rate` tokens per second, never more than `burst` seconds' worth. An accept costs one token, a
/// refusal `refusalCost` of one, as far as there is any: a server busy with refusing accepts less.
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
    /// Seconds' worth of tokens the bucket holds. Default 0.05.
    package var burst = 0.05
    /// Tokens per refusal. Default 0.
    package var refusalCost = 0.0
    package var retryAfter = RetryAfter.none
    package var outage = Outage.refuse
    /// The service is down until then, in nanoseconds.
    package var downUntil: Int64 = 0

    private var tokens = 0.0
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
        let since = max(filledAt, downUntil)
        tokens = min(max(1, rate * burst), tokens + Double(max(0, now - since)) * 1e-9 * rate)
        filledAt = now
        guard tokens < 1 else {
            tokens -= 1
            return .accept
        }
        if refusalCost > 0 { tokens = max(0, tokens - refusalCost) }
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
}
