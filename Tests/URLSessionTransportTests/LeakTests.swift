import SteadySocket
import SteadySocketTestKit
import SteadySocketURLSessionTestKit
import Testing
import URLSessionTransport

/// Complaint 6: a session per attempt that is not invalidated is a leak per attempt.
@Suite struct LeakTests {
    /// The ways out.
    enum Exit: CaseIterable {
        case closed, closedByPeer, lost, abandoned, closeUnanswered, refused, hung, hungAndClosed, letGo,
            letGoWhileOpening, closedAndLetGo, receiveNeverReturns, violation

        var quirks: Set<URLSessionQuirk> {
            switch self {
            case .closeUnanswered: [.closeUnanswered]
            case .refused: [.refusedUpgrade]
            case .hung, .hungAndClosed, .letGoWhileOpening: [.hungHandshake]
            case .receiveNeverReturns: [.receiveNeverReturns, .noPong]
            case .violation: [.messageOverLimit]
            case .closedAndLetGo: [.errorBeforeClose]
            case .closed, .closedByPeer, .lost, .abandoned, .letGo: []
            }
        }

        func leave(_ bench: Bench) throws {
            switch self {
            case .closed, .closeUnanswered, .hungAndClosed, .receiveNeverReturns, .closedAndLetGo:
                bench.socket?.close(code: .normalClosure, reason: "")
            case .closedByPeer: try bench.task.closes(code: .goingAway)
            case .lost: try bench.task.losesConnection()
            case .abandoned: bench.socket?.abandon()
            case .violation: try bench.task.delivers(.text("too long"))
            case .refused, .hung, .letGo, .letGoWhileOpening: break
            }
            switch self {
            case .letGo, .letGoWhileOpening, .closedAndLetGo: bench.letGo()
            default: break
            }
        }
    }

    @Test("complaint 6: every exit invalidates the session once and leaves nothing", arguments: Exit.allCases)
    func exits(_ exit: Exit) throws {
        let bench = try Bench(exit.quirks)
        bench.socket?.ping()
        _ = bench.send(.text("hello"))
        weak let socket = bench.socket
        try exit.leave(bench)
        bench.advance(.seconds(60))
        bench.letGo()
        #expect(bench.facts.all.count { if case .closed = $0 { true } else { false } } == 1)
        #expect(try bench.task.invalidations == 1)
        #expect(bench.simulator.census == URLSessionSimulator.Census())
        #expect(bench.time.armedCount == 0)
        #expect(socket == nil)
    }

    @Test("complaint 6: after 200 cycles no session, task, delegate, timer or socket is left")
    func cycles() throws {
        let time = ManualTime()
        let quirks = URLSessionQuirk.allCases
        for cycle in 0..<200 {
            let simulator = URLSessionSimulator.friendly(
                time: time, quirks: cycle % 2 == 0 ? [] : [quirks[cycle / 2 % quirks.count]])
            let facts = FactLog()
            var socket: (any TransportSocket)? = simulator.transport()
                .open(
                    try ConnectionRequest("ws://example.com/\(cycle)"), attempt: AttemptID(UInt64(cycle)),
                    limits: TransportLimits()
                ) { facts.add($0) }
            weak let gone = socket
            socket?.receive(10)
            socket?.ping()
            simulator.tasks.first?.delivers(.text("hello"))
            switch cycle % 3 {
            case 0: socket?.close(code: .normalClosure, reason: "")
            case 1: simulator.tasks.first?.losesConnection()
            default: simulator.tasks.first?.closes(code: .goingAway)
            }
            time.advance(by: .seconds(20))
            // What has not ended by then has lost its connection without a sign, and is given up.
            socket?.abandon()
            socket = nil
            facts.expectInOrder()
            #expect(facts.end != nil)
            #expect(simulator.census == URLSessionSimulator.Census(), "cycle \(cycle), \(simulator.quirks)")
            #expect(simulator.tasks.map(\.invalidations) == [1])
            #expect(gone == nil, "cycle \(cycle), \(simulator.quirks)")
        }
        #expect(time.armedCount == 0)
    }

    @Test("complaint 6: a socket that is held on to shows up in the count")
    func leakIsSeen() throws {
        let bench = try Bench()
        withKnownIssue { #expect(bench.simulator.census == URLSessionSimulator.Census()) }
        var expected = URLSessionSimulator.Census()
        expected.sessions = 1
        expected.tasks = 1
        expected.delegates = 1
        #expect(bench.simulator.census == expected)
        let hung = try Bench([.hungHandshake])
        #expect(hung.simulator.census.timers == 1)
    }

    @Test("a simulator does not outlive the test that made it")
    func simulator() throws {
        var bench: Bench? = try Bench()
        weak let simulator = bench?.simulator
        bench?.socket?.close(code: .normalClosure, reason: "")
        bench = nil
        #expect(simulator == nil)
    }

    @Test("a socket that is let go of tells its end and fails what was to be sent")
    func letGo() throws {
        let bench = try Bench([.sendsStall])
        let sent = bench.send(.text("hello"))
        bench.letGo()
        #expect(sent.all == [.closed])
        #expect(try bench.invalidation == .invalidateAndCancel)
        try bench.expectEnd(.connectionLost, .unknown(after: .zero))
    }

    @Test("an attempt that is let go of while it is opening ends at once, not at its deadline")
    func letGoWhileOpening() throws {
        let bench = try Bench([.hungHandshake])
        bench.letGo()
        #expect(try bench.invalidation == .invalidateAndCancel)
        try bench.expectEnd(.connectionLost, .unknown(after: .zero))
    }

    @Test("a task that never completes after its Close frames is cut off after a while")
    func taskNeverCompletes() throws {
        let bench = try Bench(script: Bench.silent)
        try bench.task.opens()
        try bench.task.reportsClose(code: 1001)
        #expect(bench.facts.end?.reason == .closedByPeer(.goingAway))
        bench.letGo()
        #expect(try bench.task.invalidations == 0)
        bench.advance(.seconds(2))
        #expect(try bench.invalidation == .invalidateAndCancel)
        try bench.expectEnd(.closedByPeer(.goingAway))
    }
}
