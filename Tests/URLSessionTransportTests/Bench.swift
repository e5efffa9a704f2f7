import SteadySocket
import SteadySocketTestKit
import SteadySocketURLSessionTestKit
import Testing
import URLSessionTransport

/// One socket of the real transport over a simulated `URLSession`, with the time in the test's hands. Everything happens
/// on the test's thread, before the call that causes it returns.
final class Bench {
    let time = ManualTime()
    let simulator: URLSessionSimulator
    let facts = FactLog()
    private(set) var socket: (any TransportSocket)?

    /// Starts an attempt. The peer is friendly but for its `quirks`, or follows `script`.
    init(
        _ quirks: Set<URLSessionQuirk> = [], limits: TransportLimits = TransportLimits(), demand: Int = 1000,
        options: URLSessionTransport.Options = URLSessionTransport.Options(), headers: [HeaderField] = [],
        subprotocols: [String] = [], script: URLSessionSimulator.Script? = nil
    ) throws {
        simulator =
            if let script {
                URLSessionSimulator(time: time, quirks: quirks, script: script)
            } else {
                .friendly(time: time, quirks: quirks)
            }
        let request = try ConnectionRequest(
            "wss://example.com/chat?token=\(SimulatedTask.secret)", headers: headers, subprotocols: subprotocols)
        socket = simulator.transport(options)
            .open(request, attempt: AttemptID(1), limits: limits) { [facts] in facts.add($0) }
        if demand > 0 { socket?.receive(demand) }
    }

    /// A peer that is silent until the test speaks for it.
    static let silent: URLSessionSimulator.Script = { _, _ in }

    /// The task; every attempt has one.
    var task: SimulatedTask { get throws { try #require(simulator.tasks.first) } }

    func advance(_ duration: Duration) { time.advance(by: duration) }

    func letGo() { socket = nil }

    /// Sends and returns what the completion was called with; empty if it was not.
    func send(_ message: Message) -> Outcomes {
        let outcomes = Outcomes()
        socket?.send(message) { outcomes.add($0) }
        return outcomes
    }
}

/// The facts of one attempt. Any thread.
final class FactLog: Sendable {
    private let facts = Recorder<TransportFact>()

    func add(_ fact: TransportFact) { facts.add(fact) }

    var all: [TransportFact] { facts.all }

    var end: TransportClose? {
        for case .closed(let close) in all { return close }
        return nil
    }

    var messages: [Message] { all.compactMap { if case .message(let message) = $0 { message } else { nil } } }

    var pongs: Int { all.count { if case .pongReceived = $0 { true } else { false } } }

    var isOpened: Bool { all.contains { if case .opened = $0 { true } else { false } } }

    /// The facts obey the contract of `Transport`: at most one opening, first; at most one end, last.
    func expectInOrder(sourceLocation: SourceLocation = #_sourceLocation) {
        for (index, fact) in all.enumerated() {
            switch fact {
            case .opened: #expect(index == 0, "opened is not the first fact", sourceLocation: sourceLocation)
            case .closed:
                #expect(index == all.count - 1, "a fact behind the end", sourceLocation: sourceLocation)
            case .message, .pingReceived, .pongReceived:
                #expect(index > 0, "a fact before the opening", sourceLocation: sourceLocation)
            }
        }
    }
}

/// What a completion was called with, call by call. Any thread.
final class Outcomes: Sendable {
    private let codes = Recorder<ConnectionError.Code?>()

    func add(_ error: ConnectionError?) { codes.add(error?.code) }

    var all: [ConnectionError.Code?] { codes.all }
}

/// Collects values from any thread.
final class Recorder<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    func add(_ value: Value) { values.withLock { $0.append(value) } }

    var all: [Value] { values.withLock { $0 } }
}

extension Bench {
    /// The attempt ended for `reason`, the contract was kept, and nothing of it is alive.
    func expectEnd(
        _ reason: DisconnectReason, _ outcome: CloseOutcome? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        facts.expectInOrder(sourceLocation: sourceLocation)
        let end = try #require(facts.end, "the attempt has not ended", sourceLocation: sourceLocation)
        #expect(end.reason == reason, sourceLocation: sourceLocation)
        #expect(end.outcome == outcome, sourceLocation: sourceLocation)
        #expect(
            !"\(end) \(String(describing: end.error))".contains(SimulatedTask.secret), "the end tells a secret",
            sourceLocation: sourceLocation)
        #expect(try task.invalidations == 1, "the session was not invalidated once", sourceLocation: sourceLocation)
        #expect(try task.unsendableCodes == [], sourceLocation: sourceLocation)
        #expect(simulator.census == URLSessionSimulator.Census(), sourceLocation: sourceLocation)
    }

    /// The last call the task's session got.
    var invalidation: URLSessionSimulator.Call? { get throws { try task.calls.last } }
}

@Suite struct BenchTests {
    @Test("the expectations of these tests can fail")
    func wrongExpectations() throws {
        let bench = try Bench()
        withKnownIssue("not ended") { try bench.expectEnd(.connectionLost) }
        bench.socket?.close(code: .normalClosure, reason: "")
        try bench.expectEnd(.closedByPeer(.normalClosure), .acknowledged)
        withKnownIssue("another reason") { try bench.expectEnd(.connectionLost, .acknowledged) }
        withKnownIssue("another outcome") { try bench.expectEnd(.closedByPeer(.normalClosure), .flushed) }
    }

    @Test("facts in the wrong order, a second end and a living timer are noticed")
    func wrongOrder() throws {
        let log = FactLog()
        log.add(.pongReceived)
        withKnownIssue { log.expectInOrder() }
        let twice = FactLog()
        twice.add(.closed(TransportClose(.connectionLost)))
        twice.add(.closed(TransportClose(.connectionLost)))
        withKnownIssue { twice.expectInOrder() }
        let lingering = try Bench(script: Bench.silent)
        try lingering.task.opens()
        try lingering.task.reportsClose(code: 1000)
        withKnownIssue("the task is not complete") { try lingering.expectEnd(.closedByPeer(.normalClosure)) }
        try lingering.task.completes()
        try lingering.expectEnd(.closedByPeer(.normalClosure))
    }
}
