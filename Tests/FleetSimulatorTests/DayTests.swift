import ConnectionCore
import Testing

@testable import FleetSimulator
@testable import steady

@Suite struct DayTests {
    private func day(_ policy: Policy, users: Int = 1500) -> Day {
        var day = Day()
        day.policy = policy
        day.users = users
        day.seed = 3
        return day
    }

    private func share(_ code: UInt16, _ outcome: Day.Outcome) -> Double {
        outcome.closeCodeShares.first { $0.code == code }?.share ?? 0
    }

    @Test func theSameSeedGivesTheSameBytesForAnyNumberOfThreads() {
        var day = day(.standard, users: 300)
        let alone = JSONText.write(DayReport(day: day, outcome: day.run()).json)
        day.threads = 3
        #expect(JSONText.write(DayReport(day: day, outcome: day.run()).json) == alone)
    }

    @Test func theOldWayIsWhatServersReport() {
        let outcome = day(.old).run()
        #expect(abs(outcome.socketsPerSegment / 2.90 - 1) < 0.1)
        #expect(abs(outcome.under30sShare / 0.79 - 1) < 0.1)
        #expect(abs(share(1005, outcome) / 0.71 - 1) < 0.1)
        #expect(abs(share(1006, outcome) / 0.29 - 1) < 0.1)
    }

    @Test func theMachineMakesLessThanOneSocketPerSegmentAndSaysWhy() {
        let outcome = day(.standard).run()
        #expect(abs(outcome.socketsPerSegment / 0.837 - 1) < 0.1)
        #expect(abs(share(1001, outcome) / 0.92 - 1) < 0.1)
        #expect(share(1005, outcome) == 0)
        #expect(share(1006, outcome) < 0.1)
        #expect(outcome.unservedSegmentShare < 0.062)
    }

    /// A row of the independent model of the day: what was varied, and the sockets per segment it found. It knows no
    /// handshakes, so the network is a fast one here.
    struct Row: Sendable {
        var debounce = 1.5
        var grace = 10.0
        var changes = 0.05
        var socketsPerSegment: Double
    }

    private func outcome(of row: Row) -> Day.Outcome {
        var day = day(.standard, users: 1000)
        day.usage.changes = row.changes
        day.network.roundTripMedian = 20
        day.network.roundTripSigma = 0
        var configuration = Configuration.standard
        configuration.backgroundGrace = .seconds(row.grace)
        return day.run(TrailingMachine.self, { _ in }) {
            TrailingMachine.Rules(configuration, debounce: row.debounce)
        }
    }

    /// The evidence that the rule of the quiet window is what keeps the machine and that model apart.
    @Test(arguments: [
        Row(debounce: 0, socketsPerSegment: 0.926), Row(debounce: 0.5, socketsPerSegment: 0.908),
        Row(debounce: 1, socketsPerSegment: 0.869), Row(debounce: 1.5, socketsPerSegment: 0.837),
        Row(debounce: 3, socketsPerSegment: 0.771),
        Row(grace: 0, socketsPerSegment: 0.965), Row(grace: 5, socketsPerSegment: 0.894),
        Row(grace: 15, socketsPerSegment: 0.802), Row(grace: 20, socketsPerSegment: 0.777),
        Row(grace: 25, socketsPerSegment: 0.759),
        Row(debounce: 0, changes: 0.2, socketsPerSegment: 1.07),
        Row(debounce: 0, changes: 0.5, socketsPerSegment: 1.37),
        Row(debounce: 0, changes: 1, socketsPerSegment: 1.86),
        Row(changes: 0.2, socketsPerSegment: 0.88), Row(changes: 0.5, socketsPerSegment: 0.95),
        Row(changes: 1, socketsPerSegment: 1.08),
    ])
    func underItsRuleTheFiguresOfTheIndependentModelComeOut(row: Row) {
        #expect(abs(outcome(of: row).socketsPerSegment / row.socketsPerSegment - 1) < 0.03)
    }

    @Test func underItsRuleSoDoItsCloseCodes() {
        let outcome = outcome(of: Row(socketsPerSegment: 0.837))
        #expect(abs(share(1001, outcome) / 0.92 - 1) < 0.03)
        // What that model rounds to .02 and .07; losses in the background, which it leaves out, come to .005 here.
        #expect((0.015...0.025).contains(share(1000, outcome)))
        #expect((0.065...0.085).contains(share(1006, outcome)))
        #expect(abs(outcome.unservedSegmentShare / 0.062 - 1) < 0.1)
    }

    @Test func theDayIsTheSameForEveryPolicy() {
        let segments = day(.standard, users: 300).run().segments
        for policy: Policy in [.old, .stream, .supabase] { #expect(day(policy, users: 300).run().segments == segments) }
    }

    @Test func withoutBackgroundTimeNoOneSaysGoodbye() {
        var day = day(.standard)
        day.usage.grantsBackgroundTime = false
        // iOS alone suspends such an app: its share of the fleet and the losses everywhere.
        #expect(abs(share(1006, day.run()) / 0.67 - 1) < 0.05)
    }

    @Test func aCrashLoopIsBoundedByTheBudgetOrTheLadder() {
        var loop = Loop(.crash(after: 1))
        loop.clients = 50
        let standard = loop.run()
        loop.policy = .stormSafe
        let safe = loop.run()
        // Ten at once, then one per 10 s; and windows with a mean of 30 s.
        #expect(abs(standard.connectsPerClientHour - 369) < 3)
        #expect(abs(safe.connectsPerClientHour - 119) < 6)
    }

    @Test func aFlappingNetworkIsBoundedByTheBudget() {
        var loop = Loop(.flap(every: 5, offline: 1))
        loop.clients = 50
        let outcome = loop.run()
        #expect(outcome.attemptsPerClientHour < 371)
        #expect(outcome.connectsPerClientHour == 0)
        // A try per 5 s, less those without a network. Flaps at a fixed period of 5 s would fall into step with it.
        loop.policy = .old
        #expect(abs(loop.run().attemptsPerClientHour / 560 - 1) < 0.05)
    }
}
