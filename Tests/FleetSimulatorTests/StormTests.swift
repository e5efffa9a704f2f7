import ConnectionCore
import Testing

@testable import FleetSimulator
@testable import steady

@Suite struct StormTests {
    /// A storm with the N/C of a million clients at 10,000/s, at a size a debug build can carry.
    private func storm(_ policy: Policy, clients: Int = 4000, seed: UInt64 = 7) -> Storm {
        var storm = Storm(acceptRate: Double(clients) / 100)
        storm.policy = policy
        storm.clients = clients
        storm.seed = seed
        return storm
    }

    private func json(_ storm: Storm) -> String {
        JSONText.write(StormReport(storm: storm, outcome: storm.run(), lone: StormCommand.lone(storm)).json)
    }

    @Test(arguments: [Policy.standard, .stormSafe, .old, .stream, .slot])
    func theSameSeedGivesTheSameBytesForAnyNumberOfThreads(policy: Policy) {
        var storm = storm(policy, clients: 1000)
        storm.server.retryAfter = .window(20)
        storm.network.loss = 0.02
        let alone = json(storm)
        #expect(json(storm) == alone)
        for threads in [2, 3] {
            storm.threads = threads
            #expect(json(storm) == alone)
        }
        storm.seed += 1
        #expect(json(storm) != alone)
    }

    /// Attempts per client, share of the clients in the worst second, and t99, as an independent model has them.
    @Test(arguments: [
        (Policy.standard, 5.5, 0.970, 237.0), (.stormSafe, 4.5, 0.354, 118.0), (.old, 16.5, 0.999, 178.0),
    ])
    func aStormIsWhatAnIndependentModelSaysItIs(policy: Policy, attempts: Double, peak: Double, t99: Double) throws {
        let storm = storm(policy)
        let outcome = storm.run()
        #expect(outcome.recoveredShare == 1)
        #expect(abs(outcome.attemptsPerClient / attempts - 1) < 0.05)
        #expect(abs(Double(outcome.peakPerSecond) / Double(storm.clients) / peak - 1) < 0.05)
        // The tail of a small fleet is ragged, with two tokens per step; that of a million is within 1 %.
        #expect(abs(try #require(outcome.t99) / t99 - 1) < 0.2)
        #expect(outcome.optimumT99 == 99)
    }

    @Test func aFreeServerTakesEveryoneAtTheFirstAttempt() throws {
        var storm = storm(.standard)
        storm.server.rate = nil
        let outcome = storm.run()
        #expect(outcome.attemptsPerClient == 1)
        // 2 s ± 20 %, and two and a half round trips of 80 ms and more.
        #expect(abs(try #require(outcome.meanRecovery) - 2.24) < 0.05)
    }

    @Test func anOutageIsWaitedFor() throws {
        var storm = storm(.stormSafe)
        storm.down = 30
        let outcome = storm.run()
        #expect(outcome.recoveries.quantile(0.0001, of: storm.clients).map { $0 > 30 } == true)
        #expect(outcome.recoveredShare == 1)
        storm.server.outage = .silent
        let silent = storm.run()
        // 15 s of waiting for an answer take the place of refusals.
        #expect(silent.attemptsPerClient < outcome.attemptsPerClient)
        #expect(silent.recoveredShare == 1)
    }

    @Test func aDrainSpreadsTheFleet() {
        var storm = storm(.standard)
        storm.loss = .drained(.serviceRestart, over: 100)
        let outcome = storm.run()
        #expect(outcome.attemptsPerClient < 2)
        #expect(Double(outcome.peakPerSecond) < 0.05 * Double(storm.clients))
    }

    @Test func aReturningNetworkIsOneBurst() throws {
        var storm = storm(.standard)
        storm.server.rate = nil
        storm.loss = .pathReturn(after: 20, spread: 0.3)
        let standard = storm.run()
        storm.policy = .stormSafe
        let safe = storm.run()
        #expect(standard.attemptsPerClient == 1 && safe.attemptsPerClient == 1)
        #expect(safe.peakPer100ms * 2 < standard.peakPer100ms)
        #expect(try #require(standard.t50) > 20)
        // A policy that does not watch the path keeps failing at its own pace, and none of that reaches the server.
        storm.policy = .old
        let old = storm.run()
        #expect(old.attemptsPerClient == 1)
        #expect(try #require(old.t99) > 24)
    }

    @Test func retryAfterObeyedToTheSecondKeepsTheHerdTogether() throws {
        var storm = storm(.exact)
        storm.server.retryAfter = .fixed(30)
        let exact = storm.run()
        storm.policy = .standard
        let spread = storm.run()
        #expect(try #require(exact.t99) > 2 * (try #require(spread.t99)))
    }

    @Test func refusalsThatCostTooMuchNeverEnd() {
        var storm = storm(.old, clients: 2000)
        storm.server.refusalCost = 0.5
        storm.patience = 600
        let outcome = storm.run()
        #expect(outcome.t99 == nil && outcome.recoveredShare < 0.9)
    }

    @Test func aClientIsSmall() {
        // Four cache lines.
        #expect(MemoryLayout<Client<ConnectionMachine, StormScript.Life>>.stride <= 256)
    }
}
