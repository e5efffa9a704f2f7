import Foundation
import SteadySocket
import SteadySocketURLSessionTestKit
import Testing

/// Stand-ins for errors that a test hands to a task itself.
enum SimulatedTaskError {
    static let aborted = NSError(domain: NSPOSIXErrorDomain, code: 53)
}

/// The three terminal signals, in every order in which they have been seen.
@Suite struct EndingTests {
    private func opened(_ quirks: Set<URLSessionQuirk> = []) throws -> Bench {
        let bench = try Bench(quirks, script: Bench.silent)
        try bench.task.opens()
        return bench
    }

    @Test("complaint 3: didComplete without the receive ends the socket, and what comes later changes nothing")
    func completesWithoutReceive() throws {
        let bench = try opened([.completesWithoutReceive])
        try bench.task.losesConnection()
        try bench.expectEnd(.connectionLost)
        try bench.task.failsReceive(posix: 57)
        try bench.task.reportsClose(code: 1000)
        try bench.expectEnd(.connectionLost)
    }

    @Test("complaint 3: a receive that never returns leaves the close to its own deadline")
    func receiveNeverReturns() throws {
        let bench = try opened([.receiveNeverReturns])
        try bench.task.losesConnection()
        #expect(bench.facts.end == nil)
        bench.socket?.close(code: .normalClosure, reason: "unresponsive")
        bench.advance(.seconds(2))
        try bench.expectEnd(.connectionLost, .unknown(after: .seconds(2)))
    }

    @Test("complaint 4: POSIX 57 before didClose does not lose the close code")
    func errorBeforeClose() throws {
        let bench = try Bench([.errorBeforeClose])
        try bench.task.closes(code: CloseCode(rawValue: 4001), reason: "kicked")
        #expect(bench.facts.end == nil)
        bench.advance(.milliseconds(500))
        try bench.expectEnd(.closedByPeer(CloseCode(rawValue: 4001)))
        #expect(bench.facts.end?.closeReason == "kicked")
    }

    @Test("complaint 4: a code the task knows already when the receive fails is used at once")
    func codeInTask() throws {
        let bench = try opened()
        try bench.task.seesClose(code: 1012, reason: "restart")
        try bench.task.failsReceive(posix: 57)
        #expect(bench.facts.end?.reason == .closedByPeer(.serviceRestart))
        try bench.task.completes(posix: 57)
        try bench.expectEnd(.closedByPeer(.serviceRestart))
        #expect(bench.facts.end?.closeReason == "restart")
    }

    @Test("complaint 4: without a code the connection is lost when the grace is over, not before")
    func grace() throws {
        let bench = try opened()
        try bench.task.failsReceive(posix: 57)
        #expect(bench.send(.text("late")).all == [.closed])
        bench.advance(.milliseconds(999))
        #expect(bench.facts.end == nil)
        bench.advance(.milliseconds(1))
        #expect(bench.facts.end?.reason == .connectionLost)
        #expect(bench.facts.end?.error?.underlying == "NSPOSIXErrorDomain 57")
        // The task has not said its last word, so the session is given the time of a closing handshake.
        #expect(try bench.task.invalidations == 0)
        bench.advance(.seconds(2))
        #expect(try bench.invalidation == .invalidateAndCancel)
        try bench.expectEnd(.connectionLost)
    }

    @Test("complaint 4: didComplete ends the grace; the first error is the cause that is told")
    func completeEndsGrace() throws {
        let bench = try opened()
        try bench.task.failsReceive(posix: 54)
        try bench.task.completes(urlError: -1005)
        try bench.expectEnd(.connectionLost)
        #expect(bench.facts.end?.error?.underlying == "NSPOSIXErrorDomain 54")
    }

    @Test("complaint 4: a close during the grace comes too late to be the cause")
    func closeDuringGrace() throws {
        let bench = try opened()
        try bench.task.failsReceive(posix: 57)
        bench.socket?.close(code: .normalClosure, reason: "")
        try bench.task.reportsClose(code: 1001)
        try bench.task.completes()
        try bench.expectEnd(.closedByPeer(.goingAway))
        #expect(try bench.task.cancelCodes == [])
    }

    @Test("a send that fails is a sign of the end as a receive is, for a socket that reads nothing")
    func sendFails() throws {
        let bench = try Bench([.sendsStall], demand: 0)
        let sent = bench.send(.text("hello"))
        #expect(sent.all == [])
        try bench.task.takesMessages(SimulatedTaskError.aborted)
        #expect(sent.all == [.closed])
        bench.advance(.seconds(3))
        try bench.expectEnd(.connectionLost)
    }

    @Test("complaint 5: a close nobody answers ends by its own deadline and is cut off only then")
    func closeUnanswered() throws {
        let bench = try Bench([.closeUnanswered])
        bench.socket?.close(code: .goingAway, reason: "background")
        #expect(try bench.task.cancelCodes == [1001])
        bench.advance(.milliseconds(1999))
        #expect(bench.facts.end == nil)
        #expect(try bench.task.invalidations == 0)
        bench.advance(.milliseconds(1))
        #expect(try bench.invalidation == .invalidateAndCancel)
        try bench.expectEnd(.connectionLost, .unknown(after: .seconds(2)))
    }

    @Test("complaint 7: after close() a receive error is the end of the close, not a failure")
    func errorAfterClose() throws {
        let bench = try Bench([.noDidClose])
        bench.socket?.close(code: .normalClosure, reason: "disconnected")
        #expect(try bench.invalidation == .finishTasksAndInvalidate)
        try bench.expectEnd(.connectionLost, .flushed)
        #expect(bench.facts.end?.error == nil)
    }

    @Test("the own code in task.closeCode is not taken for the peer's answer")
    func ownCode() throws {
        let bench = try opened()
        bench.socket?.close(code: .normalClosure, reason: "")
        try bench.task.seesClose(code: 1000)
        try bench.task.failsReceive(posix: 57)
        try bench.task.completes()
        try bench.expectEnd(.connectionLost, .flushed)
    }

    @Test("an acknowledged close lets the task finish")
    func acknowledged() throws {
        let bench = try Bench()
        bench.socket?.close(code: .normalClosure, reason: "replaced")
        #expect(try bench.task.calls.contains(.cancel(code: 1000, reason: "replaced")))
        #expect(try bench.invalidation == .finishTasksAndInvalidate)
        try bench.expectEnd(.closedByPeer(.normalClosure), .acknowledged)
    }

    @Test("messages behind our Close frame are read and thrown away, so that the answer behind them is seen")
    func messagesAfterClose() throws {
        let bench = try Bench(demand: 1, script: Bench.silent)
        try bench.task.opens()
        try bench.task.delivers(.text("one"))
        #expect(try !bench.task.isReceiving)
        bench.socket?.close(code: .normalClosure, reason: "")
        try bench.task.delivers(.text("two"))
        try bench.task.delivers(.text("three"))
        #expect(try bench.task.isReceiving)
        #expect(bench.facts.messages == [.text("one")])
        try bench.task.closes(code: .normalClosure)
        try bench.expectEnd(.closedByPeer(.normalClosure), .acknowledged)
    }

    @Test("a second close, and a close after the end, change nothing")
    func closeTwice() throws {
        let bench = try opened()
        bench.socket?.close(code: .goingAway, reason: "first")
        bench.socket?.close(code: .normalClosure, reason: "second")
        try bench.task.closes(code: .goingAway)
        bench.socket?.close(code: .normalClosure, reason: "third")
        bench.socket?.abandon()
        #expect(try bench.task.cancelCodes == [1001])
        try bench.expectEnd(.closedByPeer(.goingAway), .acknowledged)
    }

    @Test("abandon cuts off at once")
    func abandon() throws {
        let bench = try Bench([.closeUnanswered])
        bench.socket?.close(code: .normalClosure, reason: "")
        bench.advance(.milliseconds(700))
        bench.socket?.abandon()
        #expect(try bench.invalidation == .invalidateAndCancel)
        try bench.expectEnd(.connectionLost, .unknown(after: .milliseconds(700)))
    }

    @Test("the callbacks of a dead task are not heard", arguments: [true, false])
    func lateCallbacks(completes: Bool) throws {
        let bench = try opened([.lateCallbacks])
        bench.socket?.ping()
        if completes { try bench.task.completes(posix: 57) } else { bench.socket?.abandon() }
        try bench.expectEnd(.connectionLost, completes ? nil : .unknown(after: .zero))
        #expect(bench.facts.all.count == 2)
    }

    @Test("a message that is not taken goes before the Close frame, for half of the time at most")
    func closeBehindMessages() throws {
        let bench = try Bench([.sendsStall])
        let first = bench.send(.text("last words"))
        bench.socket?.close(code: .normalClosure, reason: "")
        #expect(try bench.task.cancelCodes == [])
        #expect(bench.send(.text("too late")).all == [.closed])
        try bench.task.takesMessages()
        #expect(first.all == [nil])
        #expect(try bench.task.cancelCodes == [1000])
        try bench.expectEnd(.closedByPeer(.normalClosure), .acknowledged)

        let stuck = try Bench([.sendsStall, .closeUnanswered])
        let lost = stuck.send(.text("never"))
        stuck.socket?.close(code: .normalClosure, reason: "")
        stuck.advance(.milliseconds(999))
        #expect(try stuck.task.cancelCodes == [])
        stuck.advance(.milliseconds(1))
        #expect(try stuck.task.cancelCodes == [1000])
        stuck.advance(.seconds(1))
        #expect(lost.all == [.closed])
        try stuck.expectEnd(.connectionLost, .unknown(after: .seconds(2)))
    }
}
