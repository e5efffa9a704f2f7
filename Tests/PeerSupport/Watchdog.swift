import Dispatch
import Foundation

/// Runs `operation` and returns what it returns; throws when it takes longer than `limit`.
///
/// For tests that wait for events: the limit only ends a test that hangs, it is no statement about speed. The operation
/// is cancelled then, and not waited for, so that one that ignores cancellation cannot hang the test.
///
/// - Parameters:
///   - what: what is awaited, for the error.
///   - limit: measured from the call, on a clock that does not stop; default 60 s.
package func withWatchdog<Value: Sendable>(
    _ what: String, within limit: Duration = .seconds(60),
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let once = Once(continuation)
        let task = Task {
            do {
                once.resume(with: .success(try await operation()))
            } catch {
                once.resume(with: .failure(error))
            }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit.timeInterval) {
            if once.resume(with: .failure(PeerError("watchdog: waited \(limit) for \(what)"))) {
                task.cancel()
            }
        }
    }
}

/// A continuation that only its first result reaches.
///
/// `@unchecked Sendable`: the continuation is taken under `lock`.
private final class Once<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var continuation: CheckedContinuation<Value, any Error>?

    init(_ continuation: CheckedContinuation<Value, any Error>) {
        self.continuation = continuation
    }

    @discardableResult
    func resume(with result: Result<Value, any Error>) -> Bool {
        let taken = lock.withLock {
            defer { continuation = nil }
            return continuation
        }
        taken?.resume(with: result)
        return taken != nil
    }
}

extension Duration {
    /// In seconds, as Foundation and Dispatch count.
    var timeInterval: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) * 1e-18
    }
}
