import ConnectionCore
import ConnectionModel
import Testing

/// The model and the invariants notice a machine that lies. A right run is replayed to them with one thing changed.
@Suite struct ModelTests {
    /// What a machine was told and what it answered.
    struct Moment: Sendable {
        var event: ConnectionEvent
        var now: Int64
        var actions: Actions
        var status: ConnectionStatus
        var deadline: Int64?
    }

    /// Opens, pings, goes to the background and closes, comes back, opens, is replaced and torn down.
    private static func story() -> [Moment] {
        var machine = ConnectionMachine()
        var draws = EndGenerator.shortest
        var moments: [Moment] = []
        func tell(_ event: ConnectionEvent, _ seconds: Double) {
            let now = Int64(seconds * 1e9)
            let actions = machine.handle(event, at: Instant(nanoseconds: now), using: &draws)
            moments.append(
                Moment(
                    event: event, now: now, actions: actions, status: machine.status,
                    deadline: machine.nextDeadline?.nanoseconds))
        }
        tell(.ask(Symbol.Place.a.channel), 0)
        tell(.timeReached, 1.5)
        tell(.opened(AttemptID(1)), 2)
        tell(.timeReached, 42)
        tell(.frameReceived(AttemptID(1)), 43)
        tell(.enteredBackground, 50)
        tell(.timeReached, 60)
        tell(.ended(AttemptID(1), .closedLocally(.stayedInBackground), retryAfter: nil), 60.5)
        tell(.enteredForeground, 70)
        tell(.timeReached, 70.25)
        tell(.opened(AttemptID(2)), 71)
        tell(.ask(Symbol.Place.b.channel), 80)
        tell(.timeReached, 81.5)
        tell(.timeReached, 83.5)
        return moments
    }

    private static func check(_ moments: [Moment]) -> (model: Violation?, invariant: Violation?) {
        var model = ReferenceModel(.standard, app: .foreground, network: .unknown, everyDraw: .shortest)
        var invariants = Invariants(app: .foreground, network: .unknown)
        var found: (model: Violation?, invariant: Violation?)
        for moment in moments {
            do {
                if found.model == nil {
                    try model.step(
                        moment.event, at: moment.now, actions: moment.actions, status: moment.status,
                        deadline: moment.deadline)
                }
            } catch { found.model = error }
            do {
                if found.invariant == nil {
                    try invariants.step(
                        moment.event, at: moment.now, actions: moment.actions, status: moment.status,
                        deadline: moment.deadline)
                }
            } catch { found.invariant = error }
        }
        return found
    }

    @Test("model: a right run passes") func right() {
        let story = Self.story()
        #expect(story.last?.actions.abandon == AttemptID(2))
        #expect(story.last?.actions.open?.attempt == AttemptID(3))
        let found = Self.check(story)
        #expect(found.model == nil)
        #expect(found.invariant == nil)
    }

    struct Lie: Sendable, CustomStringConvertible {
        var description: String
        /// What the invariants say; nil if only the model can know.
        var rule: String?
        var tell: @Sendable (inout [Moment]) -> Void
    }

    static let lies: [Lie] = [
        Lie(description: "opens at once", rule: "the status is true") { $0[0].actions.open = $0[1].actions.open },
        Lie(description: "does not open", rule: "the status is true") { $0[1].actions.open = nil },
        Lie(description: "opens twice", rule: "at most one live socket") {
            $0[2].actions.open = $0[1].actions.open
            $0[2].actions.open?.attempt = AttemptID(2)
        },
        Lie(description: "skips a number", rule: "at most one live socket") {
            $0[1].actions.open?.attempt = AttemptID(7)
        },
        Lie(description: "says refused", rule: nil) { $0[1].actions.open?.refused = true },
        Lie(description: "does not ping", rule: nil) { $0[3].actions.ping = nil },
        Lie(description: "pings while opening", rule: "keepalive only with an open socket") {
            $0[1].actions.ping = AttemptID(1)
        },
        Lie(description: "pings what closes", rule: "keepalive only with an open socket") {
            $0[6].actions.ping = AttemptID(1)
        },
        Lie(description: "no background time", rule: "background time begins and ends in turn") {
            $0[5].actions.backgroundTime = nil
        },
        Lie(description: "background time again", rule: "background time begins and ends in turn") {
            $0[6].actions.backgroundTime = .begin
        },
        Lie(description: "background time kept", rule: "background time only for a socket") {
            $0[7].actions.backgroundTime = nil
        },
        Lie(description: "background time without a socket", rule: "background time only for a socket") {
            $0[0].actions.backgroundTime = .begin
        },
        Lie(description: "does not close", rule: "the status is true") { $0[6].actions.close = nil },
        Lie(description: "closes twice", rule: "a socket is closed once") {
            let close = $0[12].actions.close
            $0[13].actions.abandon = nil
            $0[13].actions.close = close
        },
        Lie(description: "abandons without a close", rule: "every socket we end carries a code") {
            $0[6].actions.close = nil
            $0[6].actions.abandon = AttemptID(1)
        },
        Lie(description: "abandons too early", rule: "a close gets its time") { $0[13].now -= 1_000_000_000 },
        Lie(description: "opens in the background", rule: "no open while in the background") {
            $0[7].actions.open = $0[9].actions.open
        },
        Lie(description: "opens unasked", rule: "no open while unasked") {
            $0[0].event = .timeReached
            $0[0].actions.open = $0[1].actions.open
        },
        Lie(description: "opens offline", rule: "no open while offline") { $0[1].event = .pathChanged(.offline) },
        Lie(description: "no deadline", rule: "every wait has a bound") { $0[2].deadline = nil },
        Lie(description: "a deadline in the past", rule: "every wait has a bound") { $0[2].deadline = $0[1].now },
        Lie(description: "a deadline too far", rule: "every wait has a bound") { $0[2].deadline = .max },
        Lie(description: "another deadline", rule: nil) { $0[2].deadline? += 1 },
        Lie(description: "a deadline for nothing", rule: "every wait has a bound") { $0[7].deadline = 100_000_000_000 },
        Lie(description: "change not told", rule: "status changes are told") { $0[2].actions.statusChanged = false },
        Lie(description: "change told without one", rule: "status changes are told") {
            $0[4].actions.statusChanged = true
        },
        Lie(description: "a wrong status", rule: "the status is true") { $0[2].status = .open(AttemptID(9)) },
        Lie(description: "a wrong reason", rule: nil) {
            $0[0].status = .waiting(.foreground, delay: .seconds(1.5), until: Instant(nanoseconds: 1_500_000_000))
        },
        Lie(description: "waits longer", rule: nil) {
            $0[0].status = .waiting(.quietWindow, delay: .seconds(2), until: Instant(nanoseconds: 2_000_000_000))
            $0[0].deadline = 2_000_000_000
        },
    ]

    @Test("model: every lie is noticed", arguments: lies)
    func noticed(lie: Lie) {
        var moments = Self.story()
        lie.tell(&moments)
        let found = Self.check(moments)
        // Whether changes are told is for the invariants alone to say.
        #expect((found.model != nil) == (lie.rule != "status changes are told"))
        #expect(found.invariant?.rule == lie.rule)
    }

    private static func changed() -> Actions {
        var actions = Actions.none
        actions.statusChanged = true
        return actions
    }

    @Test("model: an eleventh attempt within the burst is noticed") func budget() {
        var invariants = Invariants(app: .foreground, network: .unknown)
        var violation: Violation?
        do {
            try invariants.step(
                .ask(Symbol.Place.a.channel), at: 0, actions: Self.changed(),
                status: .waiting(.quietWindow, delay: .seconds(1), until: Instant(nanoseconds: 1)), deadline: 1)
            for number in 1...11 as ClosedRange<UInt64> {
                let attempt = AttemptID(number)
                var opens = Self.changed()
                opens.open = Actions.Open(attempt: attempt, refused: false)
                let now = Int64(number)
                try invariants.step(.timeReached, at: now, actions: opens, status: .opening(attempt), deadline: now + 1)
                try invariants.step(
                    .ended(attempt, .connectionLost, retryAfter: nil), at: now, actions: Self.changed(),
                    status: .waiting(.budget, delay: .seconds(1), until: Instant(nanoseconds: now + 1)),
                    deadline: now + 1)
            }
        } catch { violation = error }
        #expect(violation?.rule == "no open faster than the budget")
    }

    @Test("minimiser: keeps what is needed, and only that") func minimiser() throws {
        let steps = try Step.script("ask a; wait 1; frame; wake; tick; opened; wait 2; message; ask b; wake; wait 1")
        // Fails after 'opened' and 'ask b', in this order.
        let found = try #require(
            Minimiser.shortest(steps) { steps in
                guard let opened = steps.firstIndex(of: .event(.opened(.current))),
                    let asked = steps[opened...].firstIndex(of: .event(.ask(.b)))
                else { return nil }
                return (asked, Violation("test", "found"))
            })
        #expect(Step.text(found.steps) == "opened; ask b")
        #expect(Minimiser.shortest(steps) { _ in nil } == nil)
    }
}
