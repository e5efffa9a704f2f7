/// What a ledger says as a whole. Entries are added one by one; eight bytes are kept of each.
package struct LedgerStatistics: Hashable, Sendable {
    /// Accepted sockets that have ended.
    package private(set) var connects = 0
    /// Connections that did not become a WebSocket.
    package private(set) var refusals = 0
    /// Refusals by HTTP status; nil for those that ended without an answer.
    package private(set) var refusalStatuses: [Int?: Int] = [:]
    /// Sockets that lived less than the threshold.
    package private(set) var shortLived = 0
    /// Close codes as the server saw them, and how often.
    package private(set) var closeCodes: [UInt16: Int] = [:]
    /// Who closed, and how often.
    package private(set) var closers: [SocketRecord.Closer: Int] = [:]
    /// Sockets by key, such as the value of a query item; empty if no key was asked for.
    package private(set) var socketsByKey: [String: Int] = [:]

    private var lifetimes: [Double] = []
    private let threshold: Double
    private let timeScale: Double

    /// - Parameters:
    ///   - threshold: a socket that lived less than this is short-lived; in seconds after scaling. Default 30.
    ///   - timeScale: how many seconds one recorded second stands for: 10 for a run at ten times the speed. Default 1.
    package init(shorterThan threshold: Double = 30, timeScale: Double = 1) {
        self.threshold = threshold
        self.timeScale = timeScale
    }

    /// Adds every entry.
    ///
    /// - Parameter key: the key a socket belongs to, nil for none. Default: no keys.
    package mutating func add(
        _ entries: some Sequence<LedgerEntry>, key: (SocketRecord) -> String? = { _ in nil }
    ) {
        for entry in entries { add(entry, key: key) }
    }

    /// Adds one entry.
    package mutating func add(_ entry: LedgerEntry, key: (SocketRecord) -> String? = { _ in nil }) {
        switch entry {
        case .refusal(let record):
            refusals += 1
            refusalStatuses[record.status, default: 0] += 1
        case .socket(let record):
            connects += 1
            closeCodes[record.code, default: 0] += 1
            closers[record.closedBy, default: 0] += 1
            if let key = key(record) { socketsByKey[key, default: 0] += 1 }
            let seconds = record.seconds * timeScale
            if seconds < threshold { shortLived += 1 }
            lifetimes.append(seconds)
        }
    }

    /// The part of the sockets that lived less than the threshold, 0 to 1; nil without sockets.
    package var shortLivedShare: Double? { connects == 0 ? nil : Double(shortLived) / Double(connects) }

    /// The mean number of sockets for one key; nil without keys.
    package var socketsPerKey: Double? {
        guard !socketsByKey.isEmpty else { return nil }
        return Double(socketsByKey.values.reduce(0, +)) / Double(socketsByKey.count)
    }

    /// The median lifetime in scaled seconds, of an even number the mean of the middle two; nil without sockets.
    package var medianSeconds: Double? {
        guard !lifetimes.isEmpty else { return nil }
        let sorted = lifetimes.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// The 95th percentile (nearest rank) of the lifetime in scaled seconds; nil without sockets.
    package var percentile95Seconds: Double? {
        guard !lifetimes.isEmpty else { return nil }
        // ceil(n * 95 / 100) in integers, so that no binary rounding picks the neighbour.
        return lifetimes.sorted()[(lifetimes.count * 95 + 99) / 100 - 1]
    }
}
