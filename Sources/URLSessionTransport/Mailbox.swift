import Foundation

/// Runs work one piece at a time, in the order it came, on the thread of whoever finds nobody at work.
///
/// No lock is held while a piece runs, and work handed in from inside a piece waits until that piece is done: whoever it
/// calls may call back. With one thread, a call has taken effect when it returns.
///
/// `@unchecked Sendable` holds because both variables are touched under `lock` only.
final class Mailbox: @unchecked Sendable {
    private let lock = NSLock()
    private var waiting: [@Sendable () -> Void] = []
    private var isRunning = false

    func submit(_ piece: @escaping @Sendable () -> Void) {
        var batch = lock.withLock {
            waiting.append(piece)
            return isRunning ? [] : takeBatch()
        }
        while !batch.isEmpty {
            for piece in batch { piece() }
            batch = lock.withLock { takeBatch() }
        }
    }

    /// What to run next. Empty means that whoever asked stops running.
    private func takeBatch() -> [@Sendable () -> Void] {
        isRunning = !waiting.isEmpty
        defer { waiting = [] }
        return waiting
    }
}
