/// What is to happen to a client, in 16 bytes.
struct QueuedEvent {
    /// Nanoseconds since the start of its window in the upper half, the client in the lower: the order of the window.
    var key: UInt64
    /// The kind in the upper 8 bits, below it the tag that tells an event of today's attempt from one of yesterday's.
    var what: UInt32
    /// The next one in the same slot of the wheel.
    fileprivate var next: UInt32 = 0

    var client: Int { Int(truncatingIfNeeded: key & 0xFFFF_FFFF) }
    var kind: UInt8 { UInt8(truncatingIfNeeded: what >> 24) }
    var tag: UInt32 { what & 0xFF_FFFF }

    /// The order of simultaneous events: client, then kind, then tag. Nothing depends on the order of insertion.
    @inline(__always)
    fileprivate func precedes(_ other: QueuedEvent) -> Bool {
        key != other.key ? key < other.key : what < other.what
    }
}

/// A queue of deadlines for one shard: a wheel of windows, of which the current one is a small heap, and a heap of
/// events for what lies beyond the wheel. Inserting is O(1) except into the current window.
struct EventQueue {
    private static let slots = 8192
    private static let none = UInt32.max

    /// Nanoseconds per window; below 2^32.
    let width: Int64
    /// The window being drained.
    private(set) var window: Int64 = 0
    private var heads: [UInt32]
    private var occupied: [UInt64]
    private var nodes: [QueuedEvent] = []
    private var free = EventQueue.none
    private var current: [QueuedEvent] = []
    private var beyond: [(window: Int64, event: QueuedEvent)] = []

    /// How many bytes the queue holds on to.
    var bytes: Int {
        nodes.capacity * MemoryLayout<QueuedEvent>.stride + current.capacity * MemoryLayout<QueuedEvent>.stride
            + beyond.capacity * MemoryLayout<(window: Int64, event: QueuedEvent)>.stride + heads.capacity * 4
            + occupied.capacity * 8
    }

    init(width: Int64, expecting events: Int) {
        precondition(width > 0 && width < 1 << 32)
        self.width = width
        heads = Array(repeating: Self.none, count: Self.slots)
        occupied = Array(repeating: 0, count: Self.slots / 64)
        nodes.reserveCapacity(events)
    }

    /// Inserts an event. One that lies before the current window happens at its start.
    @inline(__always)
    mutating func push(at time: Int64, client: Int, kind: UInt8, tag: UInt32) {
        let target = time / width
        let offset = target < window ? 0 : UInt64(time - target * width)
        let event = QueuedEvent(
            key: offset << 32 | UInt64(client), what: UInt32(kind) << 24 | (tag & 0xFF_FFFF))
        if target <= window {
            insert(event)
        } else if target < window + Int64(Self.slots) {
            link(event, into: Int(target % Int64(Self.slots)))
        } else {
            pushBeyond(target, event)
        }
    }

    /// The earliest event of the current window, removed; nil when the window is drained.
    @inline(__always)
    mutating func pop() -> QueuedEvent? {
        guard let first = current.first else { return nil }
        let last = current.removeLast()
        if !current.isEmpty { siftDown(last) }
        return first
    }

    /// The earliest window from the current one on that holds an event; nil if there is none.
    func nextWindow() -> Int64? {
        if !current.isEmpty { return window }
        let far = beyond.first?.window
        let start = Int(window % Int64(Self.slots))
        var word = start / 64
        var bits = occupied[word] & (~0 << UInt64(start % 64))
        for _ in 0...Self.slots / 64 {
            if bits != 0 {
                let slot = word * 64 + bits.trailingZeroBitCount
                let distance = (slot - start + Self.slots) % Self.slots
                return min(window + Int64(distance), far ?? .max)
            }
            word = (word + 1) % (Self.slots / 64)
            bits = occupied[word]
        }
        return far
    }

    /// Makes a later window the current one. No window between may hold an event.
    mutating func advance(to next: Int64) {
        precondition(next >= window && current.isEmpty)
        window = next
        while let far = beyond.first, far.window < next + Int64(Self.slots) {
            popBeyond()
            if far.window <= next { insert(far.event) } else { link(far.event, into: Int(far.window % Int64(Self.slots))) }
        }
        let slot = Int(next % Int64(Self.slots))
        var node = heads[slot]
        heads[slot] = Self.none
        occupied[slot / 64] &= ~(1 << UInt64(slot % 64))
        while node != Self.none {
            let event = nodes[Int(node)]
            nodes[Int(node)].next = free
            free = node
            insert(event)
            node = event.next
        }
    }

    @inline(__always)
    private mutating func link(_ event: QueuedEvent, into slot: Int) {
        var event = event
        event.next = heads[slot]
        if free != Self.none {
            heads[slot] = free
            let taken = Int(free)
            free = nodes[taken].next
            nodes[taken] = event
        } else {
            if nodes.count == nodes.capacity { nodes.reserveCapacity(nodes.count + nodes.count / 8 + 64) }
            heads[slot] = UInt32(nodes.count)
            nodes.append(event)
        }
        occupied[slot / 64] |= 1 << UInt64(slot % 64)
    }

    @inline(__always)
    private mutating func insert(_ event: QueuedEvent) {
        current.append(event)
        var child = current.count - 1
        current.withUnsafeMutableBufferPointer { heap in
            while child > 0 {
                let parent = (child - 1) / 2
                guard event.precedes(heap[parent]) else { break }
                heap[child] = heap[parent]
                child = parent
            }
            heap[child] = event
        }
    }

    @inline(__always)
    private mutating func siftDown(_ event: QueuedEvent) {
        current.withUnsafeMutableBufferPointer { heap in
            var hole = 0
            while true {
                var child = 2 * hole + 1
                guard child < heap.count else { break }
                if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
                guard heap[child].precedes(event) else { break }
                heap[hole] = heap[child]
                hole = child
            }
            heap[hole] = event
        }
    }

    private static func precedes(
        _ left: (window: Int64, event: QueuedEvent), _ right: (window: Int64, event: QueuedEvent)
    ) -> Bool {
        left.window != right.window ? left.window < right.window : left.event.precedes(right.event)
    }

    private mutating func pushBeyond(_ window: Int64, _ event: QueuedEvent) {
        beyond.append((window, event))
        var child = beyond.count - 1
        while child > 0, Self.precedes(beyond[child], beyond[(child - 1) / 2]) {
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
            if child + 1 < beyond.count, Self.precedes(beyond[child + 1], beyond[child]) { child += 1 }
            guard Self.precedes(beyond[child], beyond[hole]) else { return }
            beyond.swapAt(child, hole)
            hole = child
        }
    }
}
