/// A queue with constant-time ends, amortised.
struct FIFO<Element> {
    private var storage: [Element?] = []
    private var head = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { count == 0 }
    var elements: [Element] { storage[head...].compactMap { $0 } }

    mutating func append(_ element: Element) { storage.append(element) }

    mutating func popFirst() -> Element? {
        guard head < storage.count else { return nil }
        defer {
            storage[head] = nil
            head += 1
            if head == storage.count {
                storage.removeAll(keepingCapacity: storage.count <= 256)
                head = 0
            } else if head >= 64, head * 2 >= storage.count {
                storage.removeFirst(head)
                head = 0
            }
        }
        return storage[head]
    }

    /// Takes out every element for which `condition` holds, in order.
    mutating func remove(where condition: (Element) -> Bool) -> [Element] {
        let all = elements
        let removed = all.filter(condition)
        guard !removed.isEmpty else { return [] }
        storage = all.filter { !condition($0) }
        head = 0
        return removed
    }
}
