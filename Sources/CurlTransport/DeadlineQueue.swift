#if os(Linux)
/// Deadlines in the order they fall due: a binary heap, so that ten thousand of them cost no more than a few steps.
///
/// Nothing is ever taken out early. Its owner remembers which deadline counts, and an entry that no longer matches is
/// dropped when it comes up.
struct DeadlineQueue {
    /// Whose deadline it is.
    enum Owner: Hashable {
        case socket(UInt64)
        case shard(Int)
    }

    struct Entry {
        /// Nanoseconds on the loop's clock.
        var at: UInt64
        var owner: Owner
    }

    private var heap: [Entry] = []

    /// When the earliest entry falls due, nil if there is none.
    var next: UInt64? { heap.first?.at }

    mutating func insert(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].at < heap[parent].at else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes out the earliest entry if it is due.
    mutating func popDue(_ now: UInt64) -> Entry? {
        guard let first = heap.first, first.at <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].at < heap[least].at {
                least = child
            }
            guard least != parent else { return first }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
#endif
