#if os(Linux)
import ConnectionCore
import CurlTransport
import Foundation
import PeerSupport
import SteadyTransport
import Synchronization

/// What one attempt reported, and those who wait for the next fact.
final class FactLog: Sendable {
    private struct State {
        var facts: [TransportFact] = []
        var unread = 0
        var waiter: CheckedContinuation<TransportFact?, Never>?
    }

    private let state = Mutex(State())

    func append(_ fact: TransportFact) {
        let waiter = state.withLock { state in
            state.facts.append(fact)
            defer { state.waiter = nil }
            if state.waiter != nil { state.unread += 1 }
            return state.waiter
        }
        waiter?.resume(returning: fact)
    }

    var all: [TransportFact] { state.withLock { $0.facts } }

    /// The next fact not yet given out.
    private func next() async -> TransportFact? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let fact: TransportFact?? = state.withLock { state in
                    if Task.isCancelled { return .some(nil) }
                    if state.unread < state.facts.count {
                        state.unread += 1
                        return state.facts[state.unread - 1]
                    }
                    state.waiter = continuation
                    return nil
                }
                if let fact { continuation.resume(returning: fact) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: nil)
        }
    }

    /// The first fact from here on that `pick` makes something of.
    func first<Value: Sendable>(
        _ what: String, _ pick: @escaping @Sendable (TransportFact) -> Value?
    ) async throws -> Value {
        try await withWatchdog(what, within: .seconds(60)) {
            while let fact = await self.next() {
                if let value = pick(fact) { return value }
                if case .closed(let close) = fact { throw ScriptError(description: "waited for \(what); got \(close)") }
            }
            throw CancellationError()
        }
    }

    func opened() async throws -> OpeningResult {
        try await first("an open socket") { if case .opened(let result) = $0 { result } else { nil } }
    }

    func message() async throws -> Message {
        try await first("a message") { if case .message(let message) = $0 { message } else { nil } }
    }

    func pong() async throws {
        try await first("a pong") { if case .pongReceived = $0 { () } else { nil } }
    }

    func closed() async throws -> TransportClose {
        try await first("the end") { if case .closed(let close) = $0 { close } else { nil } }
    }
}

/// One attempt under test.
struct Attempt: Sendable {
    let socket: any TransportSocket
    let facts: FactLog

    /// Limits that a busy machine does not run into.
    static let patient = TransportLimits(openingHandshake: .seconds(60), closingHandshake: .seconds(60))

    /// Opens it; `demand` messages may be reported.
    init(
        _ url: String, options: CurlTransport.Options = .init(proxy: ""), headers: [HeaderField] = [],
        subprotocols: [String] = [], limits: TransportLimits = Self.patient, demand: Int = .max
    ) throws {
        let facts = FactLog()
        let request = try ConnectionRequest(url, headers: headers, subprotocols: subprotocols)
        socket = try CurlTransport(options: options)
            .open(request, attempt: AttemptID(1), limits: limits) { facts.append($0) }
        self.facts = facts
        if demand > 0 { socket.receive(demand) }
    }

    /// Sends and waits until the message is out; returns why it is not.
    func send(_ message: Message) async -> ConnectionError? {
        await withCheckedContinuation { continuation in
            socket.send(message) { continuation.resume(returning: $0) }
        }
    }

    /// Closes and waits for the end.
    func close(_ code: CloseCode = .normalClosure, _ reason: String = "") async throws -> TransportClose {
        socket.close(code: code, reason: reason)
        return try await facts.closed()
    }
}
#endif
