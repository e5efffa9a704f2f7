import Dispatch
import Foundation

/// The records of one peer as they come, and those who wait for one.
///
/// `@unchecked Sendable`: all mutable state is read and written under `lock`.
final class RecordLog: @unchecked Sendable {
    private struct Waiter {
        let id: Int
        let what: String
        let matches: @Sendable (PeerRecord) -> Bool
        let continuation: CheckedContinuation<PeerRecord, any Error>
    }

    private let lock = NSLock()
    private let name: String
    private var all: [PeerRecord] = []
    private var unread: [PeerRecord] = []
    private var waiters: [Waiter] = []
    private var lastWaiter = 0
    private var end: String?

    init(name: String) {
        self.name = name
    }

    var records: [PeerRecord] {
        lock.withLock { all }
    }

    func append(_ record: PeerRecord) {
        let waiter: Waiter? = lock.withLock {
            all.append(record)
            if let index = waiters.firstIndex(where: { $0.matches(record) }) {
                return waiters.remove(at: index)
            }
            unread.append(record)
            return nil
        }
        waiter?.continuation.resume(returning: record)
    }

    /// No more records will come: everyone who waits is told why.
    func finish(_ why: String) {
        let left: [Waiter] = lock.withLock {
            end = end ?? why
            defer { waiters = [] }
            return waiters
        }
        for waiter in left {
            waiter.continuation.resume(throwing: failure(waiting: waiter.what, because: why))
        }
    }

    /// The first record nobody was given yet that matches, now or within `limit`.
    func next(
        _ what: String, within limit: Duration, where matches: @escaping @Sendable (PeerRecord) -> Bool
    ) async throws -> PeerRecord {
        try await withCheckedThrowingContinuation { continuation in
            let answer: Result<PeerRecord, any Error>? = lock.withLock {
                if let index = unread.firstIndex(where: matches) {
                    return .success(unread.remove(at: index))
                }
                if let end {
                    return .failure(failure(waiting: what, because: end, records: all))
                }
                lastWaiter += 1
                waiters.append(Waiter(id: lastWaiter, what: what, matches: matches, continuation: continuation))
                watch(lastWaiter, limit)
                return nil
            }
            if let answer {
                continuation.resume(with: answer)
            }
        }
    }

    private func watch(_ id: Int, _ limit: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + limit.timeInterval) { [self] in
            let late: Waiter? = lock.withLock {
                waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0) }
            }
            late?.continuation.resume(throwing: failure(waiting: late?.what ?? "", because: "\(limit) passed"))
        }
    }

    private func failure(waiting what: String, because why: String, records: [PeerRecord]? = nil) -> PeerError {
        let seen = (records ?? self.records).suffix(12).map { "\n    \($0)" }.joined()
        return PeerError(
            "\(name): waited for \(what), but \(why); it reported\(seen.isEmpty ? " nothing" : ":" + seen)")
    }
}
