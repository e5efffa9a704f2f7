import Foundation
import PeerSupport

@testable import steady

/// Lines as they are written, and whoever waits for one.
///
/// `@unchecked Sendable`: all mutable state is read and written under `lock`.
final class Lines: @unchecked Sendable {
    struct Line: Sendable {
        var target: OutputTarget
        var text: String
    }

    private let lock = NSLock()
    private var lines: [Line] = []
    private var unread: [Line] = []
    private var waiters: [(matches: @Sendable (Line) -> Bool, continuation: CheckedContinuation<Line, Never>)] = []
    private var gone = false
    private let door = NSCondition()
    private var isStuck = false

    var all: [Line] { lock.withLock { lines } }

    /// From now on nobody reads standard output.
    func leave() { lock.withLock { gone = true } }

    /// The reader of standard output does not leave and does not read, until told otherwise.
    func stick(_ stuck: Bool) {
        door.withLock {
            isStuck = stuck
            door.broadcast()
        }
    }

    /// Takes a line, as `ConnectOutput.Write` does.
    @Sendable func write(_ target: OutputTarget, _ text: String) -> Bool {
        if target == .standardOutput { door.withLock { while isStuck { door.wait() } } }
        let line = Line(target: target, text: text)
        let waiter: CheckedContinuation<Line, Never>?? = lock.withLock {
            if gone, target == .standardOutput { return nil }
            lines.append(line)
            if let index = waiters.firstIndex(where: { $0.matches(line) }) {
                return .some(waiters.remove(at: index).continuation)
            }
            unread.append(line)
            return .some(nil)
        }
        guard let waiter else { return false }
        waiter?.resume(returning: line)
        return true
    }

    /// The first line nobody was given yet that has this in it, as soon as there is one.
    @discardableResult
    func next(_ target: OutputTarget? = nil, with text: String) async throws -> String {
        let matches: @Sendable (Line) -> Bool = { line in
            (target == nil || line.target == target) && line.text.contains(text)
        }
        do {
            return try await withWatchdog("the line \(text)") { await self.next(matches).text }
        } catch {
            throw LinesError(description: "\(error); printed: \(all.map(\.text))")
        }
    }

    private func next(_ matches: @escaping @Sendable (Line) -> Bool) async -> Line {
        await withCheckedContinuation { continuation in
            let line: Line? = lock.withLock {
                if let index = unread.firstIndex(where: matches) { return unread.remove(at: index) }
                waiters.append((matches, continuation))
                return nil
            }
            if let line { continuation.resume(returning: line) }
        }
    }
}

struct LinesError: Error, CustomStringConvertible { let description: String }
