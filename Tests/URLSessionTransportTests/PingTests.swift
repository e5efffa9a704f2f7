import SteadySocket
import SteadySocketURLSessionTestKit
import Testing

@Suite struct PingTests {
    @Test("complaint 1: a pong handler called twice counts once")
    func doublePong() throws {
        let bench = try Bench([.doublePong])
        bench.socket?.ping()
        #expect(bench.facts.pongs == 1)
        bench.socket?.ping()
        #expect(bench.facts.pongs == 2)
        bench.socket?.close(code: .normalClosure, reason: "")
        try bench.expectEnd(.closedByPeer(.normalClosure), .acknowledged)
    }

    @Test("complaint 1: a pong handler called twice with errors, when the connection aborts, is no pong and no end")
    func doubleError() throws {
        let bench = try Bench([.doublePong], script: Bench.silent)
        try bench.task.opens()
        bench.socket?.ping()
        try bench.task.failsPings(SimulatedTaskError.aborted)
        #expect(bench.facts.pongs == 0)
        #expect(bench.facts.end == nil)
        try bench.task.losesConnection()
        try bench.expectEnd(.connectionLost)
    }

    @Test("complaint 2: a pong handler that is never called holds nothing up")
    func noPong() throws {
        let bench = try Bench([.noPong])
        for _ in 0..<3 { bench.socket?.ping() }
        try bench.task.delivers(.text("still here"))
        #expect(bench.facts.messages == [.text("still here")])
        #expect(bench.facts.pongs == 0)
        // No deadline of the transport's own runs while the socket is open: the keepalive has one.
        #expect(bench.simulator.census.timers == 0)
        bench.socket?.close(code: .goingAway, reason: "background")
        try bench.expectEnd(.closedByPeer(.goingAway), .acknowledged)
    }

    @Test("complaint 10: a pong that comes after the close, or from a dead task, is not reported")
    func latePong() throws {
        let bench = try Bench([.lateCallbacks], script: Bench.silent)
        try bench.task.opens()
        bench.socket?.ping()
        bench.socket?.close(code: .normalClosure, reason: "")
        try bench.task.answersPing()
        #expect(bench.facts.pongs == 0)
        bench.advance(.seconds(2))
        try bench.expectEnd(.connectionLost, .unknown(after: .seconds(2)))
        #expect(bench.facts.pongs == 0)
    }

    @Test("a ping before the opening is not sent")
    func early() throws {
        let bench = try Bench([.hungHandshake])
        bench.socket?.ping()
        #expect(try bench.task.calls == [.resume])
    }
}
