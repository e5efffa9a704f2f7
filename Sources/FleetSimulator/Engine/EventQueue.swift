/// The deadlines of one shard.
///
/// Events wait in one list per second. When their second begins they are dealt out to its windows of 10 ms, and each
/// window is sorted as it begins. What is pushed into the second that runs goes straight to its window, and what lies more
/// than two minutes ahead waits in a heap.
struct EventQueue: ~Copyable {
    static let windowsPerSecond: Int64 = 100
    static let width: Int64 = 10_000_000
    private static let second: Int64 = 1_000_000_000
    private static let seconds: Int64 = 128
    /// Parts of 2^16 ns make up a window.
    private static let partBits: Int64 = 16
    private static let parts = Int(width >> partBits) + 1

    /// The window being drained.
    private(set) var window: Int64 = 0
    /// The second whose windows have been dealt out.
    private var dealt: Int64 = 0
    private var pool = EventPool()
    /// The lists of the seconds to come, and which of them hold anything.
    private let later: UnsafeMutablePointer<EventPool.List>
    private var waiting = SlotSet()
    /// The lists of the windows of this second, and which of them hold anything.
    private let windows: UnsafeMutablePointer<EventPool.List>
    private var occupied = SlotSet()
    /// The window's events in order, up to `cursor` done; then those pushed while it is drained.
    private var sorted: UnsafeMutableBufferPointer<QueuedEvent>
    private var count = 0
    /// Where the parts of a window end while it is sorted.
    private let ends: UnsafeMutablePointer<Int32>
    private var cursor = 0
    private var late = Heap<QueuedEvent>()
    private var beyond = Heap<(second: Int64, event: QueuedEvent)>()

    init() {
        later = .allocate(capacity: Int(Self.seconds))
        later.initialize(repeating: EventPool.List(), count: Int(Self.seconds))
        windows = .allocate(capacity: Int(Self.windowsPerSecond))
        windows.initialize(repeating: EventPool.List(), count: Int(Self.windowsPerSecond))
        sorted = .allocate(capacity: 64)
        ends = .allocate(capacity: Self.parts + 1)
        ends.initialize(repeating: 0, count: Self.parts + 1)
    }

    deinit {
        later.deallocate()
        windows.deallocate()
        sorted.deallocate()
        ends.deallocate()
    }

    /// How many bytes the queue holds on to. It gives nothing back, so this is its peak.
    var bytes: Int {
        pool.bytes + Int(Self.seconds + Self.windowsPerSecond) * MemoryLayout<EventPool.List>.stride
            + sorted.count * MemoryLayout<QueuedEvent>.stride + late.bytes + beyond.bytes
    }

    /// The start of the second of the current window.
    var base: Int64 { dealt * Self.second }

    /// Inserts an event. One that lies before the current window happens at its start.
    @inline(__always)
    mutating func push(at time: Int64, client: Int, kind: UInt8, tag: UInt32) {
        let time = max(time, window * Self.width)
        let second = time / Self.second
        let event = QueuedEvent(offset: time - second * Self.second, client: client, kind: kind, tag: tag)
        if second == dealt {
            let slot = Int(event.offset / Self.width)
            if Int64(slot) + dealt * Self.windowsPerSecond == window {
                late.push(event) { $0.precedes($1) }
            } else {
                pool.append(event, to: &windows[slot])
                occupied.insert(slot)
            }
        } else if second < dealt + Self.seconds {
            append(event, second)
        } else {
            beyond.push((second, event)) { $0.second < $1.second }
        }
    }

    @inline(__always)
    private mutating func append(_ event: QueuedEvent, _ second: Int64) {
        let slot = Int(second % Self.seconds)
        pool.append(event, to: &later[slot])
        waiting.insert(slot)
    }

    /// The earliest event of the current window, removed; nil when the window is drained.
    @inline(__always)
    mutating func pop() -> QueuedEvent? {
        if let first = late.first, cursor == count || first.precedes(sorted[cursor]) {
            return late.pop { $0.precedes($1) }
        }
        guard cursor < count else { return nil }
        cursor += 1
        return sorted[cursor - 1]
    }

    /// The events of the current window, as far as known when it began.
    @inline(__always)
    func forEachEvent(_ body: (QueuedEvent) -> Void) { for index in 0..<count { body(sorted[index]) } }

    /// The earliest window from the current one on that may hold an event; nil if the queue is empty.
    ///
    /// Inlined, because a call would be handed a copy of the queue.
    @inline(__always)
    func nextWindow() -> Int64? {
        if cursor < count || !late.isEmpty { return window }
        if let slot = occupied.first { return dealt * Self.windowsPerSecond + Int64(slot) }
        var next = beyond.first?.second
        if let distance = waiting.distance(from: Int(dealt % Self.seconds)) {
            next = min(next ?? .max, dealt + Int64(distance))
        }
        return next.map { $0 * Self.windowsPerSecond }
    }

    /// Makes a later window the current one. No window between may hold an event.
    mutating func advance(to next: Int64) {
        window = next
        let second = next / Self.windowsPerSecond
        if second != dealt { deal(second) }
        (cursor, count) = (0, 0)
        let slot = Int(next - second * Self.windowsPerSecond)
        guard windows[slot].count > 0 else { return }
        count = Int(windows[slot].count)
        if count > sorted.count {
            sorted.deallocate()
            sorted = .allocate(capacity: count + count / 8)
        }
        sort(windows[slot], from: Int64(slot) * Self.width)
        pool.clear(&windows[slot])
        occupied.remove(slot)
    }

    /// Copies the events of a window in order. Those of a crowded one are first dealt out to parts of it by their time,
    /// which leaves few to compare with each other.
    private mutating func sort(_ list: EventPool.List, from start: Int64) {
        let target = sorted.baseAddress!
        func order(_ range: Range<Int>) {
            var part = UnsafeMutableBufferPointer(start: target + range.lowerBound, count: range.count)
            part.sort { $0.precedes($1) }
        }
        guard count > 32 else {
            var next = target
            pool.forEach(of: list) {
                next.initialize(to: $0)
                next += 1
            }
            return order(0..<count)
        }
        let ends = ends
        ends.update(repeating: 0, count: Self.parts + 1)
        // One further on, so that after the sums each entry is where its part begins, and after dealing where it ends.
        pool.forEach(of: list) { ends[Int(($0.offset - start) >> Self.partBits) + 1] += 1 }
        for part in 1...Self.parts { ends[part] += ends[part - 1] }
        pool.forEach(of: list) {
            let part = Int(($0.offset - start) >> Self.partBits)
            (target + Int(ends[part])).initialize(to: $0)
            ends[part] += 1
        }
        var begin = 0
        for part in 0..<Self.parts {
            let end = Int(ends[part])
            if end - begin > 1 { order(begin..<end) }
            begin = end
        }
    }

    private mutating func deal(_ second: Int64) {
        dealt = second
        while let far = beyond.first, far.second < second + Self.seconds {
            _ = beyond.pop { $0.second < $1.second }
            append(far.event, far.second)
        }
        let slot = Int(second % Self.seconds)
        waiting.remove(slot)
        let windows = windows
        var occupied = SlotSet()
        pool.deal(&later[slot]) {
            let slot = Int($0.offset / Self.width)
            occupied.insert(slot)
            return windows + slot
        }
        self.occupied = occupied
    }
}
