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

    @Test func withoutBackgroundTimeNoOneSaysGoodbye() {
        var day = day(.standard)
        day.usage.grantsBackgroundTime = false
        #expect(share(1006, day.run()) > 0.5)
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
    }
}
