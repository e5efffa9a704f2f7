import SteadySocket
import SteadySocketURLSessionTestKit
import Testing

@Suite struct CloseCodeTests {
    @Test(
        "complaint 24: every code the server may send arrives as it is",
        arguments: [1000, 1001, 1008, 1011, 1012, 1013, 1014, 3000, 4001, 4999] as [UInt16])
    func received(number: UInt16) throws {
        let bench = try Bench()
        try bench.task.closes(code: CloseCode(rawValue: number), reason: "why")
        try bench.expectEnd(.closedByPeer(CloseCode(rawValue: number)))
        #expect(bench.facts.end?.closeCode.rawValue == number)
        #expect(bench.facts.end?.closeReason == "why")
        #expect(try bench.invalidation == .finishTasksAndInvalidate)
    }

    @Test("complaint 24: a Close frame without a code is 1005")
    func noCode() throws {
        let bench = try Bench()
        try bench.task.closes(code: nil)
        try bench.expectEnd(.closedByPeer(.noStatusReceived))
    }

    @Test("complaint 24: code 0 in didClose is a frame without a code, unless the task knows better")
    func codeZero() throws {
        let bench = try Bench([.closeCodeZero])
        try bench.task.closes(code: CloseCode(rawValue: 4001))
        try bench.expectEnd(.closedByPeer(.noStatusReceived))

        let knowing = try Bench([.closeCodeZero])
        try knowing.task.seesClose(code: 4001)
        try knowing.task.closes(code: CloseCode(rawValue: 4001))
        try knowing.expectEnd(.closedByPeer(CloseCode(rawValue: 4001)))
    }

    @Test("complaint 24: 1006 and 1015 in didClose mean that there was no frame", arguments: [1006, 1015])
    func noFrame(number: Int) throws {
        let bench = try Bench(script: Bench.silent)
        try bench.task.opens()
        try bench.task.reportsClose(code: number)
        try bench.task.completes()
        try bench.expectEnd(.connectionLost)
        #expect(bench.facts.end?.error?.code == .connectionLost)
    }

    @Test("complaint 24: a number no Close frame can hold does not trap", arguments: [-1, 65_536, .max, .min])
    func absurd(number: Int) throws {
        let bench = try Bench(script: Bench.silent)
        try bench.task.opens()
        try bench.task.reportsClose(code: number)
        try bench.task.completes()
        try bench.expectEnd(.closedByPeer(.noStatusReceived))
    }

    @Test(
        "complaint 24: what may be sent is sent as it is, 1005, 1006 and 1015 never",
        arguments: [(1000, 1000), (1001, 1001), (1012, 1012), (4001, 4001), (1005, 1000), (1006, 1000), (1015, 1000)]
            as [(UInt16, Int)])
    func sent(number: UInt16, expected: Int) throws {
        let bench = try Bench()
        bench.socket?.close(code: CloseCode(rawValue: number), reason: "")
        #expect(try bench.task.cancelCodes == [expected])
        try bench.expectEnd(.closedByPeer(CloseCode(rawValue: UInt16(expected))), .acknowledged)
    }

    @Test("complaint 24: the simulator tells of a code that may not be sent")
    func unsendable() throws {
        let bench = try Bench(script: Bench.silent)
        try bench.task.cancel(with: 1006, reason: nil)
        try bench.task.cancel(with: 1000, reason: nil)
        try bench.task.cancel(with: -1, reason: nil)
        #expect(try bench.task.unsendableCodes == [1006, -1])
    }

    @Test("a reason of more than 123 bytes is cut between characters")
    func longReason() throws {
        let bench = try Bench(script: Bench.silent)
        try bench.task.opens()
        bench.socket?.close(code: .normalClosure, reason: String(repeating: "ä", count: 62))
        #expect(try bench.task.calls.contains(.cancel(code: 1000, reason: String(repeating: "ä", count: 61))))
    }
}
