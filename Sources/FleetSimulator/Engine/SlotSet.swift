/// A set of numbers below 128.
struct SlotSet {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    @inline(__always)
    mutating func insert(_ slot: Int) {
        if slot < 64 { low |= 1 << UInt64(slot) } else { high |= 1 << UInt64(slot - 64) }
    }

    @inline(__always)
    mutating func remove(_ slot: Int) {
        if slot < 64 { low &= ~(1 << UInt64(slot)) } else { high &= ~(1 << UInt64(slot - 64)) }
    }

    /// The smallest member.
    var first: Int? {
        if low != 0 { return low.trailingZeroBitCount }
        return high != 0 ? 64 + high.trailingZeroBitCount : nil
    }

    /// How far it is from `start` up to the nearest member, where 127 is followed by 0.
    func distance(from start: Int) -> Int? {
        var turned = start < 64 ? self : SlotSet(low: high, high: low)
        let shift = UInt64(start % 64)
        if shift > 0 {
            turned = SlotSet(
                low: turned.low >> shift | turned.high << (64 - shift),
                high: turned.high >> shift | turned.low << (64 - shift))
        }
        return turned.first
    }
}
