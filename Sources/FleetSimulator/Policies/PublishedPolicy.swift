package import ConnectionCore

/// What another library does by default, as far as its published source says. Seconds throughout.
package final class PublishedPolicy: Sendable {
    /// The delay after the n-th failure in a row.
    package enum Law: Sendable {
        /// These delays in turn, then the last one for ever; no jitter.
        case ladder([Double])
        /// At once after the first failure (or after `first`), then `initial` × `factor`ⁿ up to `cap`, each ± `jitter`.
        case exponential(first: Double?, initial: Double, factor: Double, cap: Double, jitter: Double)
        /// Uniform between max(.25, 2(n − 1)) and min(.5 + 2n, 25), n = 0, 1, …
        case stream
        /// backo2: `initial` × 2ⁿ ± `jitter`, and the cap applied after the jitter.
        case backo2(initial: Double, cap: Double, jitter: Double)
        /// `first`, then 15 × min((n + 2) / 3, 2) × U(.8, 1), n = 1, 2, …
        case ably(first: Double)
        /// Uniform between 0 and min(2 × base, cap), base = 2, 4, 8 …: the windows of `Configuration.stormSafe`.
        case windows(cap: Double)
    }

    /// What `Retry-After` of a refusal does.
    package enum RetryAfter: Sendable {
        case ignored
        /// The client comes back exactly when told.
        case exact
        /// The client comes back at a uniform time within this many seconds after it was told.
        case spread(Double)
    }

    /// What asking again for the same identity does.
    package enum SameIdentity: Sendable {
        case keepsSocket
        /// Drops the socket and opens another one.
        case reconnects
    }

    /// How a client finds out that the peer of an open socket has gone silent.
    package struct Heartbeat: Sendable {
        /// From one ping to the next, whichever side sends them.
        package var every: Double
        /// From the ping that is not answered, or does not come, to the end of the socket.
        package var patience: Double
    }

    package let law: Law
    package let retryAfter: RetryAfter
    package let sameIdentity: SameIdentity
    /// From the start of an attempt until it is given up.
    package let connectTimeout: Double
    /// From entering the background to the close; nil does nothing there.
    package let backgroundGrace: Double?
    /// Whether a network that comes back ends a wait.
    package let watchesPath: Bool
    /// What the server records when this client drops a socket on purpose; 1005 for a bare cancel.
    package let closeCode: CloseCode
    /// Nil sends no pings: a peer that goes silent is never noticed.
    package let heartbeat: Heartbeat?

    package init(
        _ law: Law, retryAfter: RetryAfter = .ignored, sameIdentity: SameIdentity = .keepsSocket,
        connectTimeout: Double, backgroundGrace: Double? = nil, watchesPath: Bool = false,
        closeCode: CloseCode = .normalClosure, heartbeat: Heartbeat? = nil
    ) {
        self.law = law
        self.retryAfter = retryAfter
        self.sameIdentity = sameIdentity
        self.connectTimeout = connectTimeout
        self.backgroundGrace = backgroundGrace
        self.watchesPath = watchesPath
        self.closeCode = closeCode
        self.heartbeat = heartbeat
    }

    /// Seconds from failure number `failure`, counted from 1, to the next attempt.
    func delay(failure: Int, using generator: inout some RandomNumberGenerator) -> Double {
        func unit() -> Double { Double(generator.next() >> 11) * 0x1p-53 }
        func grown(_ initial: Double, _ factor: Double, _ steps: Int, _ cap: Double) -> Double {
            var value = initial
            var left = steps
            while left > 0, value < cap {
                value *= factor
                left -= 1
            }
            return min(value, cap)
        }
        switch law {
        case .ladder(let delays):
            return delays[min(failure, delays.count) - 1]
        case .exponential(let first, let initial, let factor, let cap, let jitter):
            if let first, failure == 1 { return first }
            let base = grown(initial, factor, failure - (first == nil ? 1 : 2), cap)
            return base * (1 + jitter * (2 * unit() - 1))
        case .stream:
            let count = Double(min(failure - 1, 1000))
            let high = min(0.5 + 2 * count, 25)
            let low = min(max(0.25, 2 * (count - 1)), high)
            return low + (high - low) * unit()
        case .backo2(let initial, let cap, let jitter):
            let base = grown(initial, 2, failure - 1, 1e6)
            return min(base * (1 + jitter * (2 * unit() - 1)), cap)
        case .ably(let first):
            if failure == 1 { return first }
            return 15 * min(Double(min(failure, 1000) + 1) / 3, 2) * (0.8 + 0.2 * unit())
        case .windows(let cap):
            return unit() * min(2 * grown(2, 2, failure - 1, cap), cap)
        }
    }
}
