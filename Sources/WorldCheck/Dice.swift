internal import SteadySocketTestKit

/// Random numbers that depend on the seed and on what they are for, not on what was drawn before: a script that is cut
/// shorter leaves the rest of its world as it was.
struct Dice {
    enum Purpose: UInt64 {
        case world = 1, plan, policy, roundTrip, answer, order, wakeUp, system, ending = 10
    }

    let seed: UInt64

    /// The sequence for a purpose and a number, of an attempt or an instant.
    func sequence(_ purpose: Purpose, _ number: UInt64 = 0) -> SeededGenerator {
        var keys = SeededGenerator(seed: seed &+ purpose.rawValue << 56)
        return SeededGenerator(seed: keys.next() ^ (number &* 0xD6E8_FEB8_6659_FD93))
    }

    /// A number below `bound`.
    func below(_ bound: Int, _ purpose: Purpose, _ number: UInt64 = 0) -> Int {
        var sequence = sequence(purpose, number)
        return sequence.below(bound)
    }
}

extension SeededGenerator {
    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    /// One of these.
    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Whether something that happens so often per hundred happens.
    mutating func happens(percent: Int) -> Bool { below(100) < percent }
}
