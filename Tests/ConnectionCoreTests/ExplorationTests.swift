import ConnectionCore
import ConnectionModel
import Testing

/// Everything that can happen, against the reference model and the invariants. `explore` does more of the same.
@Suite struct ExplorationTests {
    @Test("exploration: small worlds to the end", arguments: SmallWorld.all)
    func worlds(world: SmallWorld) throws {
        var edges: Set<Edge> = []
        for setting in Setting.allCases {
            for draws in EndGenerator.allCases {
                let report = try world.explorer(setting).explore(draws)
                #expect(report.depth == world.depth, "cut short")
                edges.formUnion(report.edges)
            }
        }
        try EdgeTableTests.expectDocumented(edges)
    }

    /// 4 × 50 × 5000: a million events.
    @Test("exploration: a million events of seeded walks", arguments: 0..<4)
    func walks(part: UInt64) throws {
        var events = 0
        var edges: Set<Edge> = []
        for number in 1...50 {
            let seed = part * 50 + UInt64(number)
            var walk = Walk(seed: seed, setting: seed.isMultiple(of: 2) ? .standard : .stormSafe)
            events += try walk.run(events: 5000).events
            edges.formUnion(walk.edges)
        }
        #expect(events >= 250_000)
        try EdgeTableTests.expectDocumented(edges)
        // A walk that stands still proves nothing.
        #expect(edges.count >= (try EdgeTableTests.documentedCount()) * 9 / 10)
    }

    @Test("exploration: a seed walks the same way twice") func replays() throws {
        var (first, second) = (Walk(seed: 7, setting: .stormSafe), Walk(seed: 7, setting: .stormSafe))
        let (one, two) = (try first.run(events: 500), try second.run(events: 500))
        #expect(one.machine == two.machine)
        #expect(one.now == two.now)
    }

    @Test("exploration: scripts read what they print", arguments: Symbol.all.map(\.name))
    func scripts(name: String) throws {
        let step = Step.event(try #require(Symbol(name: name)))
        #expect(Step(step.description) == step)
    }

    @Test("exploration: times are exact in scripts", arguments: [0, 1, 250_000_000, 1_500_000_000, 61_000_000_001])
    func times(time: Int64) {
        for step in [Step.wait(time), .wake(late: time), .wake(late: -time)] { #expect(Step(step.description) == step) }
    }

    @Test("exploration: not a step", arguments: ["", "wait", "wait -1", "wait x", "wake early 1", "ask", "opened 1"])
    func garbage(text: String) {
        #expect(Step(text) == nil)
    }
}
