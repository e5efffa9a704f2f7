/// The messages that were delivered and not yet read.
struct Unread {
    private var texts: [String] = []

    var count: Int { texts.count }

    mutating func append(_ text: String) { texts.append(text) }

    mutating func popFirst() -> String? { texts.isEmpty ? nil : texts.removeFirst() }
}

/// The messages that the app sent, by number.
struct Sends {
    /// Until when those that have no answer yet may wait; nil for those that must go out at once.
    private var unanswered: [Int: Int64?] = [:]
    private var last = 0
    private var handedOver: Set<Int> = []

    /// How many were not answered.
    var pending: Int { unanswered.count }

    /// The number of the last one that went out.
    private(set) var lastHandedOver = 0

    /// When the first of those that wait must be out.
    var firstDeadline: Int64? { unanswered.values.compactMap { $0 }.min() }

    mutating func begin(until deadline: Int64?) -> Int {
        last += 1
        unanswered[last] = .some(deadline)
        return last
    }

    func wasHandedOver(_ number: Int) -> Bool { handedOver.contains(number) }

    /// Until when it may wait; nil if it was answered before.
    mutating func answer(_ number: Int) -> Int64?? { unanswered.removeValue(forKey: number) }

    /// False if one that was sent later, or the same, went out before.
    mutating func handOver(_ number: Int) -> Bool {
        defer { lastHandedOver = number }
        handedOver.insert(number)
        return number > lastHandedOver
    }

    /// The first one whose time is over.
    func overdue(at now: Int64) -> Int? { unanswered.filter { $0.value.map { $0 <= now } ?? false }.keys.min() }
}
