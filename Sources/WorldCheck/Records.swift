/// The messages that were delivered and not yet read.
struct Unread {
    private var texts: [String] = []

    var count: Int { texts.count }

    mutating func append(_ text: String) { texts.append(text) }

    mutating func popFirst() -> String? { texts.isEmpty ? nil : texts.removeFirst() }
}

/// The messages that the app sent, by number.
struct Sends {
    private var deadlines: [Int: Int64?] = [:]
    private var last = 0
    private(set) var lastHandedOver = 0

    /// How many were not answered.
    var pending: Int { deadlines.count }

    /// When the first of those that wait must be out.
    var firstDeadline: Int64? { deadlines.values.compactMap { $0 }.min() }

    mutating func begin(until deadline: Int64?) -> Int {
        last += 1
        deadlines[last] = .some(deadline)
        return last
    }

    /// False if it was answered before.
    mutating func complete(_ number: Int) -> Bool { deadlines.removeValue(forKey: number) != nil }

    /// False if one that was sent later, or the same, went out before.
    mutating func handOver(_ number: Int) -> Bool {
        defer { lastHandedOver = number }
        return number > lastHandedOver
    }

    /// One whose time is over.
    func overdue(at now: Int64) -> Int? { deadlines.first { $0.value.map { $0 <= now } ?? false }?.key }
}
