/// What is to happen to a client, in 16 bytes.
struct QueuedEvent: BitwiseCopyable {
    /// Nanoseconds since the start of its second in the upper half, the client in the lower: the order of events.
    var key: UInt64
    /// The kind in the upper 8 bits, below it the tag that tells an event of today's attempt from one of yesterday's.
    var what: UInt32

    init(offset: Int64, client: Int, kind: UInt8, tag: UInt32) {
        key = UInt64(offset) << 32 | UInt64(client)
        what = UInt32(kind) << 24 | (tag & 0xFF_FFFF)
    }

    var client: Int { Int(truncatingIfNeeded: key & 0xFFFF_FFFF) }
    var offset: Int64 { Int64(truncatingIfNeeded: key >> 32) }
    var kind: UInt8 { UInt8(truncatingIfNeeded: what >> 24) }
    var tag: UInt32 { what & 0xFF_FFFF }

    /// The order of simultaneous events: client, then kind, then tag. Nothing depends on the order of insertion.
    @inline(__always)
    func precedes(_ other: QueuedEvent) -> Bool {
        key != other.key ? key < other.key : what < other.what
    }
}

/// An array whose first element precedes all others.
struct Heap<Element> {
    private var elements: [Element] = []

    var first: Element? { elements.first }
    var isEmpty: Bool { elements.isEmpty }
    var bytes: Int { elements.capacity * MemoryLayout<Element>.stride }

    @inline(__always)
    mutating func push(_ element: Element, by precedes: (Element, Element) -> Bool) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, precedes(elements[child], elements[(child - 1) / 2]) {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes the first element, which must exist.
    @inline(__always)
    mutating func pop(by precedes: (Element, Element) -> Bool) -> Element {
        elements.swapAt(0, elements.count - 1)
        let first = elements.removeLast()
        var hole = 0
        while true {
            var child = 2 * hole + 1
            guard child < elements.count else { return first }
            if child + 1 < elements.count, precedes(elements[child + 1], elements[child]) { child += 1 }
            guard precedes(elements[child], elements[hole]) else { return first }
            elements.swapAt(child, hole)
            hole = child
        }
    }
}
