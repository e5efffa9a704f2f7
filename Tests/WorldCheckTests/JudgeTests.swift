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
        let rule: Rule
        let before: @Sendable (Judge) -> Void
        let breaks: @Sendable (Judge) -> Void
        var description: String { rule.rawValue }

        init(
            _ rule: Rule, _ before: @escaping @Sendable (Judge) -> Void = { _ in },
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

    private static func waits(_ judge: Judge, _ why: WaitReason, _ time: Double) {
        let until = Instant(nanoseconds: judge.now + seconds(time))
        after(judge, .waiting(why, delay: .nanoseconds(seconds(time)), until: until), timer: time)
    }

    static let cases: [Case] = [
        Case(.oneSocket, opening) { $0.opens(second, a) },
        Case(.numbered, opening) { judge in
            judge.toldEnded(first, .connectionLost, retryAfter: nil)
            judge.now += seconds(10)
            judge.opens(first, a)
        },
        Case(.unasked) { $0.opens(first, a) },
        Case(.lastAsked, ask) { judge in
            judge.now = seconds(2)
            judge.opens(first, b)
        },
        Case(.background, ask) { judge in
            judge.toldApp(foreground: false)
            judge.now = seconds(2)
            judge.opens(first, a)
        },
        Case(.offline, ask) { judge in
            judge.toldPath(.offline)
            judge.now = seconds(2)
            judge.opens(first, a)
        },
        Case(.refused, { failed($0, .openingRefused(status: 401)) }) { judge in
            judge.now += seconds(3)
            judge.opens(second, a)
            judge.toldEnded(second, .openingRefused(status: 403), retryAfter: nil)
            judge.now += seconds(100)
            judge.opens(AttemptID(3), a)
        },
        Case(.quiet, ask) { judge in
            judge.now = seconds(1.4)
            judge.opens(first, a)
        },
        Case(.tooEarly, { failed($0, .connectionLost) }) { judge in
            judge.now += seconds(1.5)
            judge.opens(second, a)
        },
        Case(.demand, { failed($0, .openingRefused(status: 503), retryAfter: .seconds(9)) }) { judge in
            // Not even an ask and a return make up for it.
            judge.toldApp(foreground: false)
            judge.toldApp(foreground: true)
            judge.now += seconds(9)
            judge.opens(second, a)
        },
        Case(.budget, ask) { judge in
            judge.now = seconds(2)
            for number in 1...11 {
                judge.opens(AttemptID(UInt64(number)), a)
                judge.toldEnded(AttemptID(UInt64(number)), .connectionLost, retryAfter: nil)
                judge.notBefore = 0
            }
        },
        Case(.keepalive, opening) { $0.pings(first) },
        Case(.pingDue, open) { judge in
            judge.now += seconds(30)
            judge.pings(first)
        },
        Case(.pingDue, open) { judge in
            judge.now += seconds(40)
            judge.nothingIsOverdue()
        },
        Case(.closedOnce, open) { judge in
            judge.toldDisconnect(.disconnected)
            judge.closes(first, .normalClosure, "disconnected")
            judge.closes(first, .normalClosure, "disconnected")
        },
        Case(.away, inBackground) { judge in
            judge.now += seconds(9)
            judge.closes(first, .goingAway, "background")
        },
        Case(.code, open) { $0.closes(first, .noStatusReceived, "") },
        Case(.code, open) { $0.abandons(first) },
        Case(.exit, open) { judge in
            judge.toldDisconnect(.exiting)
            judge.closes(first, .normalClosure, "exiting")
        },
        Case(.wish, open) { judge in
            judge.toldDisconnect(.disconnected, wish: CloseCode(rawValue: 4000))
            judge.now += seconds(1)
            judge.closes(first, .normalClosure, "disconnected")
        },
        Case(.cause, open) { judge in
            judge.toldDisconnect(.disconnected)
            judge.closes(first, .normalClosure, "replaced")
        },
        Case(.cause, open) { judge in
            judge.toldDisconnect(.disconnected)
            judge.closes(first, .normalClosure, "disconnected")
            after(judge, .closing(first, .replaced), timer: 2)
        },
        Case(.probe, open) { judge in
            judge.now += seconds(1)
            judge.toldPath(.online(fingerprint: 2))
            judge.nothingIsOverdue()
        },
        Case(.waitWhy, ask) { waits($0, .quietWindow, 1.4) },
        Case(.waitWhy, ask) { waits($0, .networkReturn, 0.25) },
        Case(.waitWhy, ask) { waits($0, .budget, 1) },
        Case(.waitWhy, { failed($0, .closedByPeer(.serviceRestart)) }) { judge in
            waits(judge, .server(.closedByPeer(.serviceRestart)), 4)
        },
        Case(.ladder, { failed($0, .connectionLost) }) { waits($0, .backoff(failure: 1, .connectionLost), 2.5) },
        Case(.ladder, { failed($0, .connectionLost) }) { waits($0, .backoff(failure: 2, .connectionLost), 4) },
        Case(.ladder, { failed($0, .openingRefused(status: 401)) }) { judge in
            waits(judge, .refresh(.openingRefused(status: 401)), 4)
        },
        Case(.kept, open) { $0.closes(first, .normalClosure, "replaced") },
        Case(.replaced, open) { judge in
            judge.toldAsk(b)
            judge.now += seconds(1)
            judge.closes(first, .normalClosure, "replaced")
        },
        Case(.closeTime, open) { judge in
            judge.toldDisconnect(.disconnected)
            judge.closes(first, .normalClosure, "disconnected")
            judge.now += seconds(1)
            judge.abandons(first)
        },
        Case(.closeEnd, open) { judge in
            judge.toldDisconnect(.disconnected)
            judge.closes(first, .normalClosure, "disconnected")
            judge.now += seconds(2)
            judge.nothingIsOverdue()
        },
        Case(.timeTurns, inBackground) { $0.beginsBackgroundTime() },
        Case(.timeTurns, open) { $0.endsBackgroundTime() },
        Case(.timeForSocket, ask) { $0.beginsBackgroundTime() },
        Case(.timeForSocket, inBackground) { judge in
            judge.toldApp(foreground: true)
            after(judge, .open(first), timer: 30)
        },
        Case(.timeHeld, inBackground) { judge in
            judge.endsBackgroundTime()
            after(judge, .open(first), timer: 9)
        },
        Case(.graceEnd, inBackground) { judge in
            judge.now += seconds(10)
            judge.nothingIsOverdue()
        },
        Case(.openingEnd, opening) { judge in
            judge.now += seconds(15)
            judge.nothingIsOverdue()
        },
        Case(.silence, open) { judge in
            judge.now += seconds(40)
            judge.pings(first)
            judge.now += seconds(15)
            judge.nothingIsOverdue()
        },
        Case(.status, open) { after($0, .opening(first), timer: 9) },
        Case(.status, ask) { after($0, .idle, timer: nil) },
        Case(.bounded, open) { after($0, .open(first), timer: nil) },
        Case(.bounded, open) { after($0, .open(first), timer: 41) },
        Case(.bounded, ask) { waits($0, .quietWindow, 601) },
        Case(.timer) { after($0, .idle, timer: 5) },
    ]

    @Test(arguments: cases)
    func everyRuleCanBeBroken(_ example: Case) {
        let judge = Judge(isStormSafe: false)
        judge.toldPath(.online(fingerprint: 1))
        example.before(judge)
        #expect(judge.violation == nil)
        example.breaks(judge)
        #expect(judge.violation?.rule == example.rule)
    }

    @Test func noPromiseIsBrokenByADayInTheLife() {
        let judge = Judge(isStormSafe: false)
        judge.toldPath(.online(fingerprint: 1))
        Self.inBackground(judge)
        judge.now += Self.seconds(10)
        judge.closes(Self.first, .goingAway, "background")
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
