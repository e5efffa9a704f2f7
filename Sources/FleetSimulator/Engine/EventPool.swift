/// The memory of a queue's lists: blocks of events that go from list to list.
///
/// A list that grows copies nothing and holds no more than one block in reserve, and one that empties leaves its blocks
/// to the others. The pool never shrinks, so what it holds at the end is what it held at its peak.
struct EventPool: ~Copyable {
    /// Events in no particular order.
    struct List: BitwiseCopyable {
        fileprivate var last = EventPool.none
        fileprivate(set) var count: UInt32 = 0
    }

    private static let blockSize = 32
    private static let none = UInt32.max

    private var events: UnsafeMutablePointer<QueuedEvent>
    /// The block before each one in its list, or the next vacant one.
    private var links: UnsafeMutablePointer<UInt32>
    private var capacity = 16
    private var vacant = EventPool.none
    /// Blocks from here on have never been used.
    private var untouched = 0

    init() {
        events = .allocate(capacity: capacity * Self.blockSize)
        links = .allocate(capacity: capacity)
    }

    deinit {
        events.deallocate()
        links.deallocate()
    }

    /// How many bytes the pool holds on to.
    var bytes: Int {
        capacity * (Self.blockSize * MemoryLayout<QueuedEvent>.stride + MemoryLayout<UInt32>.stride)
    }

    @inline(__always)
    mutating func append(_ event: QueuedEvent, to list: inout List) {
        let place = Int(list.count) % Self.blockSize
        if place == 0 {
            let block = takeBlock()
            links[Int(block)] = list.last
            list.last = block
        }
        events[Int(list.last) * Self.blockSize + place] = event
        list.count += 1
    }

    /// The events of a list, in no particular order.
    @inline(__always)
    func forEach(of list: List, _ body: (QueuedEvent) -> Void) {
        var (block, left) = (list.last, Int(list.count))
        while left > 0 {
            // Only the last block can be partly filled.
            let filled = (left - 1) % Self.blockSize + 1
            left -= filled
            let first = events + Int(block) * Self.blockSize
            for index in 0..<filled { body(first[index]) }
            block = links[Int(block)]
        }
    }

    /// Deals the events of a list out to others, and empties it.
    @inline(__always)
    mutating func deal(_ list: inout List, to target: (QueuedEvent) -> UnsafeMutablePointer<List>) {
        var (block, left) = (list.last, Int(list.count))
        list = List()
        while left > 0 {
            let filled = (left - 1) % Self.blockSize + 1
            left -= filled
            for index in 0..<filled {
                let event = events[Int(block) * Self.blockSize + index]
                append(event, to: &target(event).pointee)
            }
            block = giveBack(block)
        }
    }

    /// Empties a list.
    mutating func clear(_ list: inout List) {
        var block = list.last
        while block != Self.none { block = giveBack(block) }
        list = List()
    }

    private mutating func takeBlock() -> UInt32 {
        if vacant != Self.none {
            let block = vacant
            vacant = links[Int(block)]
            return block
        }
        if untouched == capacity { grow() }
        untouched += 1
        return UInt32(untouched - 1)
    }

    /// Returns the block before it in its list.
    private mutating func giveBack(_ block: UInt32) -> UInt32 {
        let before = links[Int(block)]
        links[Int(block)] = vacant
        vacant = block
        return before
    }

    /// By an eighth: what is never used counts as memory of the clients.
    private mutating func grow() {
        let larger = capacity + max(16, capacity / 8)
        let (oldEvents, oldLinks) = (events, links)
        events = .allocate(capacity: larger * Self.blockSize)
        links = .allocate(capacity: larger)
        events.moveInitialize(from: oldEvents, count: capacity * Self.blockSize)
        links.moveInitialize(from: oldLinks, count: capacity)
        oldEvents.deallocate()
        oldLinks.deallocate()
        capacity = larger
    }
}
