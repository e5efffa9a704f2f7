/// How long the network takes and what it loses. Milliseconds where not said otherwise.
package struct NetworkLaw: Sendable {
    /// Median of the round-trip time over clients. Default 80 (assumed; each client keeps its own).
    package var roundTripMedian = 80.0
    /// Standard deviation of the logarithm of the round-trip time. Default 0.6 (assumed).
    package var roundTripSigma = 0.6
    /// No client is nearer than this. Default 20: half of it is what a lock-step window may last.
    package var roundTripFloor = 20.0
    /// No client is farther than this. Default 3,000.
    package var roundTripCeiling = 3_000.0
    /// Whether the round-trip time is drawn anew for each attempt instead of once per client. Default false.
    package var drawsPerAttempt = false
    /// The probability that a flight is lost and sent again. Default 0. The retransmission timer starts at 1 s and
    /// doubles (RFC 6298 section 2).
    package var loss = 0.0

    package init() {}

    /// Draws the round-trip time of a client, in nanoseconds.
    func roundTrip(using generator: inout FleetGenerator) -> Int64 {
        let drawn = generator.lognormal(median: roundTripMedian, sigma: roundTripSigma)
        return Int64(min(max(drawn, roundTripFloor), roundTripCeiling) * 1e6)
    }

    /// What lost flights add to an exchange of this many flights, in nanoseconds.
    @inline(__always)
    func retransmissions(flights: Int, using generator: inout FleetGenerator) -> Int64 {
        guard loss > 0 else { return 0 }
        var added: Int64 = 0
        for _ in 0..<flights {
            var timer: Int64 = 1_000_000_000
            while generator.happens(loss), timer < 1 << 38 {
                added += timer
                timer *= 2
            }
        }
        return added
    }
}
