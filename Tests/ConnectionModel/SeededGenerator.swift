/// SplitMix64: a seed replays the same draws on every platform.
package struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Draws an end of the range every time.
package enum EndGenerator: RandomNumberGenerator, Hashable, Sendable, CaseIterable {
    case shortest, longest

    // They map to the ends of any range, also in the standard library's draws, which can reject 0 for ever.
    package mutating func next() -> UInt64 { self == .shortest ? 1 : .max }
}

/// The generator of a run: seeded draws, or always the same end.
package enum Draws: RandomNumberGenerator, Hashable, Sendable {
    case seeded(SeededGenerator)
    case end(EndGenerator)

    package mutating func next() -> UInt64 {
        switch self {
        case .seeded(var generator):
            let drawn = generator.next()
            self = .seeded(generator)
            return drawn
        case .end(var generator): return generator.next()
        }
    }
}
