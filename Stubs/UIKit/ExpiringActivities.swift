import Foundation

/// The expiring activities of the process. `@unchecked Sendable` holds because the list is reached under the lock alone.
public final class _ExpiringActivities: @unchecked Sendable {
    /// Those of this process.
    public static let shared = _ExpiringActivities()

    private let lock = NSLock()
    private var running: [Int: @Sendable (Bool) -> Void] = [:]
    private var count = 0
    private var refuses = false

    /// Whether every activity is told at once that the process is about to be suspended.
    public var refusesActivities: Bool {
        get { lock.withLock { refuses } }
        set { lock.withLock { refuses = newValue } }
    }
    /// How many blocks have not returned.
    public var runningCount: Int { lock.withLock { running.count } }

    func perform(_ block: @escaping @Sendable (Bool) -> Void) {
        let (id, refused) = lock.withLock {
            count += 1
            running[count] = block
            return (count, refuses)
        }
        // A thread of its own: the block may wait for long.
        Thread.detachNewThread {
            block(refused)
            self.lock.withLock { _ = self.running.removeValue(forKey: id) }
        }
    }

    /// Calls every running block once more, with true, on a thread that is not the main one, and returns afterwards.
    public func _expire() async {
        let blocks = lock.withLock { Array(running.values) }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                for block in blocks { block(true) }
                continuation.resume()
            }
        }
    }
}
