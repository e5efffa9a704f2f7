internal import Dispatch

/// Runs something that waits on a thread of its own.
///
/// A test whose client waits for what another task of the test makes happen has to use it: the tasks share as many
/// threads as there are cores, and two waiting clients would keep the other task from ever running.
package func offThePool(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        DispatchQueue(label: "steady.tests.waiting").async {
            continuation.resume(with: Result { try body() })
        }
    }
}
