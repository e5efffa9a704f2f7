import Dispatch

/// Carries inputs from any thread to one queue, in the order they were submitted, with one hop per burst.
///
/// On the queue, a submit takes effect before it returns, after what other threads submitted earlier. A submit from
/// within the processing of an input waits its turn: processing never nests.
package final class Inbox<Input: Sendable>: Sendable {
    private let home: Confinement
    private let state = Locked(State())

    private struct State {
        var pending: [Input] = []
        var hopScheduled = false
        var draining = false
    }

    package init(home: Confinement) { self.home = home }

    /// `process` gets the inputs on the queue, batch by batch.
    package func submit(_ input: Input, process: @escaping @Sendable ([Input]) -> Void) {
        let onQueue = home.isCurrent
        let hop = state.withLock { state in
            state.pending.append(input)
            guard !onQueue, !state.hopScheduled else { return false }
            state.hopScheduled = true
            return true
        }
        if onQueue {
            drain(process)
        } else if hop {
            home.queue.async { self.drain(process) }
        }
    }

    private func drain(_ process: ([Input]) -> Void) {
        let mine = state.withLock { state in
            if state.draining { return false }
            state.draining = true
            return true
        }
        guard mine else { return }
        while let batch = nextBatch() { process(batch) }
    }

    private func nextBatch() -> [Input]? {
        state.withLock { state in
            guard !state.pending.isEmpty else {
                state.draining = false
                state.hopScheduled = false
                return nil
            }
            defer { state.pending = [] }
            return state.pending
        }
    }
}
