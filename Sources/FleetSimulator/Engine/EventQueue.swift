/// What is to happen to a client, in 16 bytes.
struct QueuedEvent {
    /// Nanoseconds since the start of its second in the upper half, the client in the lower: the order of events.
    var key: UInt64
    /// The kind in the upper 8 bits, below it the tag that tells an event of today's attempt from one of yesterday's.
    var what: UInt32
    /// The next one of the same window.
    fileprivate var next: UInt32 = 0

    var client: Int { Int(truncatingIfNeeded: key & 0xFFFF_FFFF) }
    var offset: Int64 { Int64(truncatingIfNeeded: key >> 32) }
    var kind: UInt8 { UInt8(truncatingIfNeeded: what >> 24) }
    var tag: UInt32 { what & 0xFF_FFFF }

    /// The order of simultaneous events: client, then kind, then tag. Nothing depends on the order of insertion.
    @inline(__always)
    fileprivate func precedes(_ other: QueuedEvent) -> Bool {
        key != other.key ? key < other.key : what < other.what
    }
}

/// The deadlines of one shard.
///
/// Events wait in one list per second, in the order of insertion: appending touches little memory. When their second
/// begins they are dealt out to its windows of 10 ms, and each window is sorted as it begins. What is pushed into the
/// second that runs goes straight to its window, and what lies more than two minutes ahead waits in a heap.
struct EventQueue {
    static let windowsPerSecond: Int64 = 100
    static let width: Int64 = 10_000_000
    private static let second: Int64 = 1_000_000_000
    private static let seconds: Int64 = 128
    private static let none = UInt32.max

    /// The window being drained.
    private(set) var window: Int64 = 0
    /// The second whose windows have been dealt out.
    private var dealt: Int64 = 0
    private var later: [[QueuedEvent]]
    /// Which of `later` hold anything.
    private var waiting: (UInt64, UInt64) = (0, 0)
    private var heads: [UInt32]
    private var occupied: (UInt64, UInt64) = (0, 0)
    private var nodes: [QueuedEvent] = []
    /// The events of the second, window by window, if they are many; `starts` has where each window's begin, and the end.
    private var dealtEvents: [QueuedEvent] = []
    private var starts: [Int32]
    /// The window's events in order, up to `cursor` done; then the heap of those pushed while it is drained.
    private var sorted: [QueuedEvent] = []
    private var cursor = 0
    private var late: [QueuedEvent] = []
    private var beyond: [(second: Int64, event: QueuedEvent)] = []

    init() {
        later = Array(repeating: [], count: Int(Self.seconds))
        heads = Array(repeating: Self.none, count: Int(Self.windowsPerSecond))
        starts = Array(repeating: 0, count: Int(Self.windowsPerSecond) + 1)
    }

    /// How many bytes the queue holds on to.
    var bytes: Int {
        let events =
            later.reduce(0) { $0 + $1.capacity } + nodes.capacity + dealtEvents.capacity + sorted.capacity
            + late.capacity
        return events * MemoryLayout<QueuedEvent>.stride
            + beyond.capacity * MemoryLayout<(second: Int64, event: QueuedEvent)>.stride
    }

    /// The start of the second of the current window.
    var base: Int64 { dealt * Self.second }

    /// Inserts an event. One that lies before the current window happens at its start.
    @inline(__always)
    mutating func push(at time: Int64, client: Int, kind: UInt8, tag: UInt32) {
        let time = max(time, window * Self.width)
        let second = time / Self.second
        let event = QueuedEvent(
            key: UInt64(time - second * Self.second) << 32 | UInt64(client),
            what: UInt32(kind) << 24 | (tag & 0xFF_FFFF))
        if second == dealt {
            if time / Self.width == window { pushLate(event) } else { link(event) }
        } else if second < dealt + Self.seconds {
            let slot = Int(second % Self.seconds)
            later[slot].append(event)
            Self.set(slot, in: &waiting)
        } else {
            pushBeyond(second, event)
        }
    }

    /// The earliest event of the current window, removed; nil when the window is drained.
    @inline(__always)
    mutating func pop() -> QueuedEvent? {
        if late.isEmpty {
            guard cursor < sorted.count else { return nil }
            cursor += 1
            return sorted[cursor - 1]
        }
        if cursor < sorted.count, sorted[cursor].precedes(late[0]) {
            cursor += 1
            return sorted[cursor - 1]
        }
        return popLate()
    }

    /// The events of the current window, as far as known when it began.
    @inline(__always)
    func forEachEvent(_ body: (QueuedEvent) -> Void) { for event in sorted { body(event) } }

    /// The earliest window from the current one on that may hold an event; nil if the queue is empty.
    func nextWindow() -> Int64? {
        if cursor < sorted.count || !late.isEmpty { return window }
        if let slot = Self.first(in: occupied) { return dealt * Self.windowsPerSecond + Int64(slot) }
        var next = beyond.first?.second
        let here = Int(dealt % Self.seconds)
        if let slot = Self.first(in: Self.rotated(waiting, by: here)) { next = min(next ?? .max, dealt + Int64(slot)) }
        return next.map { $0 * Self.windowsPerSecond }
    }

    /// Makes a later window the current one. No window between may hold an event.
    mutating func advance(to next: Int64) {
        window = next
        let second = next / Self.windowsPerSecond
        if second != dealt { deal(second) }
        sorted.removeAll(keepingCapacity: true)
        cursor = 0
        let slot = Int(next - second * Self.windowsPerSecond)
        guard Self.contains(slot, in: occupied) else { return }
        Self.clear(slot, in: &occupied)
        if !dealtEvents.isEmpty {
            sorted.append(contentsOf: dealtEvents[Int(starts[slot])..<Int(starts[slot + 1])])
        }
        var node = heads[slot]
        heads[slot] = Self.none
        while node != Self.none {
            let event = nodes[Int(node)]
            sorted.append(event)
            node = event.next
        }
        sorted.sort { $0.precedes($1) }
    }

    private mutating func deal(_ second: Int64) {
        dealt = second
        nodes.removeAll(keepingCapacity: true)
        while let far = beyond.first, far.second < second + Self.seconds {
            popBeyond()
            let slot = Int(far.second % Self.seconds)
            later[slot].append(far.event)
            Self.set(slot, in: &waiting)
        }
        let slot = Int(second % Self.seconds)
        var events: [QueuedEvent] = []
        swap(&events, &later[slot])
        Self.clear(slot, in: &waiting)
        // One crowded second must not hold memory for ever.
        dealtEvents.removeAll(keepingCapacity: dealtEvents.capacity < 4 * events.count)
        if events.count < 64 { for event in events { link(event) } } else { sortByWindow(events) }
    }

    /// A counting sort, so that a window's events lie side by side.
    private mutating func sortByWindow(_ events: [QueuedEvent]) {
        for index in starts.indices { starts[index] = 0 }
        for event in events { starts[Int(event.offset / Self.width) + 1] += 1 }
        for slot in 0..<Int(Self.windowsPerSecond) {
            if starts[slot + 1] > 0 { Self.set(slot, in: &occupied) }
            starts[slot + 1] += starts[slot]
        }
        dealtEvents.append(contentsOf: events)
        // From the back, so that every start ends up where it belongs.
        for event in events.reversed() {
            let slot = Int(event.offset / Self.width) + 1
            starts[slot] -= 1
            dealtEvents[Int(starts[slot])] = event
        }
        for slot in 0..<Int(Self.windowsPerSecond) { starts[slot] = starts[slot + 1] }
        starts[Int(Self.windowsPerSecond)] = Int32(events.count)
    }

    /// Puts an event into its window of the second that runs.
    @inline(__always)
    private mutating func link(_ event: QueuedEvent) {
        var event = event
        let slot = Int(event.offset / Self.width)
        event.next = heads[slot]
        heads[slot] = UInt32(nodes.count)
        nodes.append(event)
        Self.set(slot, in: &occupied)
    }

    // MARK: heaps

    private mutating func pushLate(_ event: QueuedEvent) {
        late.append(event)
        var child = late.count - 1
        while child > 0, late[child].precedes(late[(child - 1) / 2]) {
            late.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func popLate() -> QueuedEvent {
        late.swapAt(0, late.count - 1)
        let first = late.removeLast()
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < late.count else { return first }
            if child + 1 < late.count, late[child + 1].precedes(late[child]) { child += 1 }
            guard late[child].precedes(late[hole]) else { return first }
            late.swapAt(child, hole)
            hole = child
        }
    }

    private mutating func pushBeyond(_ second: Int64, _ event: QueuedEvent) {
        beyond.append((second, event))
        var child = beyond.count - 1
        while child > 0, beyond[child].second < beyond[(child - 1) / 2].second {
            beyond.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func popBeyond() {
        beyond.swapAt(0, beyond.count - 1)
        beyond.removeLast()
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < beyond.count else { return }
            if child + 1 < beyond.count, beyond[child + 1].second < beyond[child].second { child += 1 }
            guard beyond[child].second < beyond[hole].second else { return }
            beyond.swapAt(child, hole)
            hole = child
        }
    }

    // MARK: sets of up to 128 slots

    @inline(__always)
    private static func set(_ slot: Int, in bits: inout (UInt64, UInt64)) {
        if slot < 64 { bits.0 |= 1 << UInt64(slot) } else { bits.1 |= 1 << UInt64(slot - 64) }
    }

    @inline(__always)
    private static func clear(_ slot: Int, in bits: inout (UInt64, UInt64)) {
        if slot < 64 { bits.0 &= ~(1 << UInt64(slot)) } else { bits.1 &= ~(1 << UInt64(slot - 64)) }
    }

    private static func contains(_ slot: Int, in bits: (UInt64, UInt64)) -> Bool {
        slot < 64 ? bits.0 >> UInt64(slot) & 1 == 1 : bits.1 >> UInt64(slot - 64) & 1 == 1
    }

    private static func first(in bits: (UInt64, UInt64)) -> Int? {
        if bits.0 != 0 { return bits.0.trailingZeroBitCount }
        return bits.1 != 0 ? 64 + bits.1.trailingZeroBitCount : nil
    }

    /// The same set with `slot` counted as 0.
    private static func rotated(_ bits: (UInt64, UInt64), by slot: Int) -> (UInt64, UInt64) {
        let (low, high) = slot < 64 ? bits : (bits.1, bits.0)
        let shift = UInt64(slot % 64)
        guard shift > 0 else { return (low, high) }
        return (low >> shift | high << (64 - shift), high >> shift | low << (64 - shift))
    }
}
