/// Counts per slot of 10 ms: what curves, peaks and quantiles are made from.
package struct Tally: Sendable {
    /// Slots per second.
    package static let perSecond = 100
    static let slot: Int64 = 10_000_000

    /// Where the first slot begins, in nanoseconds; what is earlier is counted there.
    let origin: Int64
    package private(set) var counts: [UInt32] = []
    package private(set) var total = 0

    init(origin: Int64) { self.origin = origin }

    @inline(__always)
    mutating func add(at time: Int64) {
        let index = Int(max(0, time - origin) / Self.slot)
        if index >= counts.count { grow(to: index) }
        counts[index] &+= 1
        total += 1
    }

    private mutating func grow(to index: Int) {
        counts.append(contentsOf: repeatElement(0, count: max(index + 1 - counts.count, counts.count / 2)))
    }

    mutating func add(_ other: Tally) {
        if other.counts.count > counts.count { grow(to: other.counts.count - 1) }
        for (index, count) in other.counts.enumerated() { counts[index] += count }
        total += other.total
    }

    /// The most that fell into any span of this many slots.
    package func peak(slots: Int) -> Int {
        var sum = 0
        var most = 0
        for index in counts.indices {
            sum += Int(counts[index])
            if index >= slots { sum -= Int(counts[index - slots]) }
            most = max(most, sum)
        }
        return most
    }

    /// When this share of `whole` had happened, in seconds; nil if it never did.
    package func quantile(_ share: Double, of whole: Int) -> Double? {
        let needed = share * Double(whole)
        guard needed > 0, Double(total) >= needed else { return nil }
        var sum = 0.0
        for (index, count) in counts.enumerated() where count > 0 {
            let before = sum
            sum += Double(count)
            guard sum >= needed else { continue }
            return (Double(index) + (needed - before) / Double(count)) / Double(Self.perSecond)
        }
        return nil
    }

    /// The mean time in seconds, each event counted at the middle of its slot; nil if nothing happened.
    package var mean: Double? {
        guard total > 0 else { return nil }
        var sum = 0.0
        for (index, count) in counts.enumerated() { sum += (Double(index) + 0.5) * Double(count) }
        return sum / Double(total) / Double(Self.perSecond)
    }

    /// The counts added up per second.
    package var everySecond: [Int] {
        stride(from: 0, to: counts.count, by: Self.perSecond).map { start in
            counts[start..<min(start + Self.perSecond, counts.count)].reduce(0) { $0 + Int($1) }
        }
    }
}
