#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import SteadySocket

/// What the outside sees without waiting for the queue.
final class SessionPublisher: Sendable {
    private struct State {
        var session: GleapSession?
        var state = SessionState.stopped
        var ignored = IgnoredMessages()
    }

    private let state = Locked(State())
    private let eventStreams = Broadcast<GleapEvent>()
    private let updateStreams = Broadcast<JSONValue>()

    var session: GleapSession? { state.withLock { $0.session } }
    var sessionState: SessionState { state.withLock { $0.state } }
    var ignored: IgnoredMessages { state.withLock { $0.ignored } }
    var events: AsyncStream<GleapEvent> { eventStreams.stream() }
    var updates: AsyncStream<JSONValue> { updateStreams.stream() }

    func set(session: GleapSession?) { state.withLock { $0.session = session } }

    /// Whether it is another one.
    func setState(_ new: SessionState) -> Bool {
        let changed = state.withLock { state in
            defer { state.state = new }
            return state.state != new
        }
        if changed { publish(.stateChanged(new)) }
        return changed
    }

    func publish(_ event: GleapEvent) { _ = eventStreams.yield(event) }

    func received(_ message: Message) {
        switch GleapMessage(message) {
        case .update(let data):
            let lost = updateStreams.yield(data)
            if lost > 0 { state.withLock { $0.ignored.dropped += lost } }
        case .unknownName: state.withLock { $0.ignored.unknownName += 1 }
        case .malformed: state.withLock { $0.ignored.malformed += 1 }
        }
    }

    func finish() {
        eventStreams.finish()
        updateStreams.finish()
    }
}

/// A message of the service.
enum GleapMessage: Hashable, Sendable {
    case update(JSONValue)
    case unknownName
    case malformed

    init(_ message: Message) {
        guard case .text(let text) = message,
            let members = try? JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8)),
            let name = members["name"]?.string
        else {
            self = .malformed
            return
        }
        guard name == "update" else {
            self = .unknownName
            return
        }
        self = members["data"].map(GleapMessage.update) ?? .malformed
    }
}

/// The same values for any number of streams; a slow reader keeps the newest 256.
private final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var readers: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var next: UInt64 = 0
        var finished = false
    }

    private let state = Locked(State())

    func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(256))
        let id: UInt64? = state.withLock { state in
            guard !state.finished else { return nil }
            state.next += 1
            state.readers[state.next] = continuation
            return state.next
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
        }
        return stream
    }

    /// How many older values this cost.
    func yield(_ value: Element) -> Int {
        state.withLock { Array($0.readers.values) }.count { reader in
            if case .dropped = reader.yield(value) { true } else { false }
        }
    }

    func finish() {
        for reader in state.withLock({ state in
            state.finished = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }) { reader.finish() }
    }
}
