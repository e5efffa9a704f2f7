import ConnectionCore
import Testing

@testable import WorldCheck

/// Every rule is seen to be broken, by a connection that does what it must not do.
@Suite struct JudgeTests {
    private static let a = ChannelID(scheme: "wss", host: "one.example", port: nil, percentEncodedPath: "/a")
    private static let b = ChannelID(scheme: "wss", host: "one.example", port: nil, percentEncodedPath: "/b")
    private static let first = AttemptID(1)
    private static let second = AttemptID(2)

    /// A case: what goes before, in which nothing is wrong, and what breaks the rule.
    struct Case: CustomStringConvertible, Sendable {
        let rule: String
        let before: @Sendable (Judge) -> Void
        let breaks: @Sendable (Judge) -> Void
        var description: String { rule }

        init(
            _ rule: String, _ before: @escaping @Sendable (Judge) -> Void = { _ in },
            breaks: @escaping @Sendable (Judge) -> Void
        ) {
            self.rule = rule
            self.before = before
            self.breaks = breaks
        }
    }

    private static func seconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

    private static func ask(_ judge: Judge) { judge.toldAsk(a) }

    private static func opening(_ judge: Judge) {
        judge.toldAsk(a)
        judge.now = seconds(1.5)
        judge.opens(first, a)
    }

    private static func open(_ judge: Judge) {
        opening(judge)
        judge.now = seconds(2)
        judge.toldOpened(first)
        judge.readingIs(heldUp: false, first)
    }

    private static func inBackground(_ judge: Judge) {
        open(judge)
        judge.now = seconds(3)
        judge.toldApp(foreground: false)
        judge.beginsBackgroundTime()
    }

    private static func failed(_ judge: Judge, _ reason: DisconnectReason, retryAfter: Duration? = nil) {
        opening(judge)
        judge.toldEnded(first, reason, retryAfter: retryAfter)
    }

    private static func after(_ judge: Judge, _ status: ConnectionStatus, timer: Double?) {
        judge.afterTelling(status: status, timer: timer.map { judge.now + seconds($0) }, sendsUntil: nil)
    }

    static let cases: [Case] = [
        Case("at most one live socket", opening) { $0.opens(second, a) },
        Case("attempts are numbered", opening) { judge in
            judge.toldEnded(first, .connectionLost, retryAfter: nil)
            judge.now += seconds(10)
            judge.opens(first, a)
        },
        Case("no open while unasked") { $0.opens(first, a) },
        Case("the channel asked for last is opened", ask) { judge in
            judge.now = seconds(2)
            judge.opens(first, b)
        },
        Case("no open while in the background", ask) { judge in
            judge.toldApp(foreground: false)
            judge.now = seconds(2)
            judge.opens(first, a)
        },
        Case("no open while offline", ask) { judge in
            judge.toldPath(.offline)
            judge.now = seconds(2)
            judge.opens(first, a)
        },
        Case("no open while refused", { failed($0, .openingRefused(status: 401)) }) { judge in
            judge.now += seconds(3)
            judge.opens(second, a)
            judge.toldEnded(second, .openingRefused(status: 403), retryAfter: nil)
            judge.now += seconds(100)
            judge.opens(AttemptID(3), a)
        },
        Case("no open within the quiet window", ask) { judge in
            judge.now = seconds(1.4)
            judge.opens(first, a)
        },
        Case("no open before its time", { failed($0, .connectionLost) }) { judge in
            judge.now += seconds(1.5)
            judge.opens(second, a)
        },
        Case("what the server demands is obeyed", { failed($0, .openingRefused(status: 503), retryAfter: .seconds(9)) })
        { judge in
            // Not even an ask and a return make up for it.
            judge.toldApp(foreground: false)
            judge.toldApp(foreground: true)
            judge.now += seconds(9)
            judge.opens(second, a)
        },
        Case("no open faster than the budget", ask) { judge in
            judge.now = seconds(2)
            for number in 1...11 {
                judge.opens(AttemptID(UInt64(number)), a)
                judge.toldEnded(AttemptID(UInt64(number)), .connectionLost, retryAfter: nil)
                judge.notBefore = 0
            }
        },
        Case("keepalive only with an open socket", opening) { $0.pings(first) },
        Case("pings come when they are due", open) { judge in
            judge.now += seconds(30)
            judge.pings(first)
        },
        Case("pings come when they are due", open) { judge in
            judge.now += seconds(40)
            judge.nothingIsOverdue()
        },
        Case("a socket is closed once", open) { judge in
            judge.toldDisconnect(exiting: false)
            judge.closes(first, .normalClosure)
            judge.closes(first, .normalClosure)
        },
        Case("1001 only after the grace, or to exit", inBackground) { judge in
            judge.now += seconds(9)
            judge.closes(first, .goingAway)
        },
        Case("every socket we end carries a code", open) { $0.closes(first, .noStatusReceived) },
        Case("every socket we end carries a code", open) { $0.abandons(first) },
        Case("the same channel keeps its socket", open) { $0.closes(first, .normalClosure) },
        Case("a socket is replaced when its successor may open", open) { judge in
            judge.toldAsk(b)
            judge.now += seconds(1)
            judge.closes(first, .normalClosure)
        },
        Case("a close gets its time", open) { judge in
            judge.toldDisconnect(exiting: false)
            judge.closes(first, .normalClosure)
            judge.now += seconds(1)
            judge.abandons(first)
        },
        Case("a close comes to its end", open) { judge in
            judge.toldDisconnect(exiting: false)
            judge.closes(first, .normalClosure)
            judge.now += seconds(2)
            judge.nothingIsOverdue()
        },
        Case("background time begins and ends in turn", inBackground) { $0.beginsBackgroundTime() },
        Case("background time begins and ends in turn", open) { $0.endsBackgroundTime() },
        Case("background time only for a socket", ask) { $0.beginsBackgroundTime() },
        Case("background time only for a socket", inBackground) { judge in
            judge.toldApp(foreground: true)
            after(judge, .open(first), timer: 30)
        },
        Case("a socket in the background holds background time", inBackground) { judge in
            judge.endsBackgroundTime()
            after(judge, .open(first), timer: 9)
        },
        Case("the grace comes to its end", inBackground) { judge in
            judge.now += seconds(10)
            judge.nothingIsOverdue()
        },
        Case("an opening comes to its end", opening) { judge in
            judge.now += seconds(15)
            judge.nothingIsOverdue()
        },
        Case("a silent peer is noticed", open) { judge in
            judge.now += seconds(40)
            judge.pings(first)
            judge.now += seconds(15)
            judge.nothingIsOverdue()
        },
        Case("the status is true", open) { after($0, .opening(first), timer: 9) },
        Case("the status is true", ask) { after($0, .idle, timer: nil) },
        Case("every wait has a bound", open) { after($0, .open(first), timer: nil) },
        Case("every wait has a bound", open) { after($0, .open(first), timer: 41) },
        Case("every wait has a bound", ask) { judge in
            let until = Instant(nanoseconds: judge.now + seconds(601))
            judge.afterTelling(
                status: .waiting(.quietWindow, delay: .seconds(601), until: until), timer: seconds(601), sendsUntil: nil
            )
        },
        Case("no timer without need") { after($0, .idle, timer: 5) },
    ]

    @Test(arguments: cases)
    func everyRuleCanBeBroken(_ example: Case) {
        let judge = Judge(hasLadder: true)
        judge.toldPath(.online(fingerprint: 1))
        example.before(judge)
        #expect(judge.violation == nil)
        example.breaks(judge)
        #expect(judge.violation?.rule == example.rule)
    }

    @Test func noPromiseIsBrokenByADayInTheLife() {
        let judge = Judge(hasLadder: true)
        judge.toldPath(.online(fingerprint: 1))
        Self.inBackground(judge)
        judge.now += Self.seconds(10)
        judge.closes(Self.first, .goingAway)
        judge.now += Self.seconds(1)
        judge.toldEnded(Self.first, .closedLocally(.stayedInBackground), retryAfter: nil)
        judge.endsBackgroundTime()
        Self.after(judge, .held(.background), timer: nil)
        judge.nothingIsOverdue()
        judge.toldApp(foreground: true)
        judge.now += Self.seconds(0.25)
        judge.opens(Self.second, Self.a)
        Self.after(judge, .opening(Self.second), timer: 15)
        #expect(judge.violation == nil)
    }
}
