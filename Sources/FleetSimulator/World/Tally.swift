/// Counts per slot of time: what curves, peaks and quantiles are made from.
package struct Tally: Sendable {
    /// Nanoseconds per slot.
    let slot: Int64
    /// Where the first slot begins, in nanoseconds; what is earlier is counted there.
    let origin: Int64
    package private(set) var counts: [UInt32] = []
    package private(set) var total = 0

    init(origin: Int64, slot: Int64) {
        self.origin = origin
        self.slot = slot
    }

    private var secondsPerSlot: Double { Double(slot) / 1e9 }

    @inline(__always)
    mutating func add(at time: Int64) {
        let index = Int(max(0, time - origin) / slot)
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

    /// The most that fell into any span of this many seconds, which a span of whole slots stands for.
    package func peak(within seconds: Double) -> Int {
        let slots = max(1, Int((seconds / secondsPerSlot).rounded()))
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
            return (Double(index) + (needed - before) / Double(count)) * secondsPerSlot
        }
        return nil
    }

    /// The mean time in seconds, each event counted at the middle of its slot; nil if nothing happened.
    package var mean: Double? {
        guard total > 0 else { return nil }
        var sum = 0.0
        for (index, count) in counts.enumerated() { sum += (Double(index) + 0.5) * Double(count) }
        return sum / Double(total) * secondsPerSlot
    }

    /// The counts added up per second; slots are no longer than that.
    package var everySecond: [Int] {
        let step = max(1, Int((1 / secondsPerSlot).rounded()))
        return stride(from: 0, to: counts.count, by: step).map { start in
            counts[start..<min(start + step, counts.count)].reduce(0) { $0 + Int($1) }
        }
    }
}
