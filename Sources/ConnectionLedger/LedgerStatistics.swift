/// What a ledger says as a whole.
package struct LedgerStatistics: Hashable, Sendable, Codable {
    /// Accepted sockets.
    package var connects = 0
    /// Connections that did not become a WebSocket.
    package var refusals = 0
    /// Refusals by HTTP status, as text; "none" for those that ended without an answer.
    package var refusalStatuses: [String: Int] = [:]
    /// Sockets that lived less than the threshold.
    package var shortLived = 0
    /// Close codes as the server saw them: code, as text, and count.
    package var closeCodes: [String: Int] = [:]
    /// Who closed: client, server or network, and count.
    package var closedBy: [String: Int] = [:]
    /// The median lifetime, in seconds of the ledger's own scale; nil without sockets.
    package var medianSeconds: Double?
    /// The 95th percentile of the lifetime (nearest rank), in seconds of the ledger's own scale; nil without sockets.
    package var percentile95Seconds: Double?
    /// Sockets by key, such as the value of one query item; empty if no key was asked for.
    package var socketsByKey: [String: Int] = [:]

    /// The part of the sockets that lived less than the threshold, 0 to 1; nil without sockets.
    package var shortLivedShare: Double? { connects == 0 ? nil : Double(shortLived) / Double(connects) }

    /// The mean number of sockets for one key; nil without keys.
    package var socketsPerKey: Double? {
        guard !socketsByKey.isEmpty else { return nil }
        return Double(socketsByKey.values.reduce(0, +)) / Double(socketsByKey.count)
    }

    /// Counts `entries`.
    ///
    /// - Parameters:
    ///   - threshold: a socket that lived less than this is short-lived; in seconds after scaling. Default 30.
    ///   - timeScale: how many seconds one recorded second stands for: 10 for a run at ten times the speed. Default 1.
    ///   - key: the key a socket belongs to, nil for none. Default: no keys.
    package init(
        _ entries: some Sequence<LedgerEntry>, shorterThan threshold: Double = 30, timeScale: Double = 1,
        key: (SocketRecord) -> String? = { _ in nil }
    ) {
        var lifetimes: [Double] = []
        for entry in entries {
            switch entry {
            case .refusal(let record):
                refusals += 1
                refusalStatuses[record.status.map(String.init) ?? "none", default: 0] += 1
            case .socket(let record):
                connects += 1
                closeCodes[String(record.code), default: 0] += 1
                closedBy[record.closedBy.rawValue, default: 0] += 1
                if let key = key(record) { socketsByKey[key, default: 0] += 1 }
                lifetimes.append(record.seconds * timeScale)
            }
        }
        shortLived = lifetimes.count { $0 < threshold }
        lifetimes.sort()
        percentile95Seconds = Self.nearestRank(95, of: lifetimes)
        if let upper = Self.nearestRank(50, of: lifetimes) {
            let middle = lifetimes.count / 2
            medianSeconds = lifetimes.count.isMultiple(of: 2) ? (upper + lifetimes[middle]) / 2 : upper
        }
    }

    private static func nearestRank(_ percent: Int, of sorted: [Double]) -> Double? {
        guard !sorted.isEmpty else { return nil }
        // ceil(n * p / 100) in integers, so that no binary rounding picks the neighbour.
        return sorted[(sorted.count * percent + 99) / 100 - 1]
    }
}
