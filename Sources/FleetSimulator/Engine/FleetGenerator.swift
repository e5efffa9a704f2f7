#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The random numbers of one client (SplitMix64), derived from the seed of the run and the number of the client, so
/// that no client's draws depend on how clients are spread over threads or on what other clients do.
package struct FleetGenerator: RandomNumberGenerator, Sendable {
    /// What a sequence is for. Policies are compared on the same network and the same day because these differ.
    package enum Purpose: UInt64, Sendable {
        /// Jitter of the policy.
        case policy = 1
        /// Round-trip time, losses, and when the client's phases began.
        case world = 2
        /// What the person does with the app.
        case app = 3
    }

    private var state: UInt64

    /// Starts the sequence of this client.
    package init(seed: UInt64, client: Int, purpose: Purpose) {
        let key = Self.mixed(UInt64(client) &+ 0x9E37_79B9_7F4A_7C15 &* purpose.rawValue)
        state = Self.mixed(seed ^ key) &+ key
    }

    /// The next 64 bits.
    @inline(__always)
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Uniform in 0 ..< 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Uniform in low ..< high.
    mutating func uniform(_ low: Double, _ high: Double) -> Double { low + unit() * (high - low) }

    /// Whether something of this probability happens.
    mutating func happens(_ probability: Double) -> Bool { unit() < probability }

    /// Standard normal (Box and Muller).
    mutating func normal() -> Double {
        let radius = (-2 * log(1 - unit())).squareRoot()
        return radius * cos(2 * Double.pi * unit())
    }

    /// Lognormal with this median and this standard deviation of the logarithm.
    mutating func lognormal(median: Double, sigma: Double) -> Double { median * exp(sigma * normal()) }

    /// Exponential with this mean.
    mutating func exponential(mean: Double) -> Double { -mean * log(1 - unit()) }
}
