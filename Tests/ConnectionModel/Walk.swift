package import ConnectionCore

/// A random walk: a seed decides what happens, when, and what the machine draws.
package struct Walk: Sendable {
    package var seed: UInt64
    package var setting: Setting
    package let app: AppState
    package let network: NetworkPath
    /// How the world is: what happens more often, and how much time goes by.
    private let mood: Mood
    private var chooser: SeededGenerator
    /// The steps between states it took.
    package private(set) var edges: Set<Edge> = []

    package enum Mood: CaseIterable, Sendable {
        /// Anything at any time.
        case wild
        /// Mostly a working server and an app that comes and goes.
        case calm
        /// Sockets hardly ever last.
        case stormy
        /// The app cannot make up its mind.
        case restless
    }

    package init(seed: UInt64, setting: Setting) {
        self.seed = seed
        self.setting = setting
        var chooser = SeededGenerator(seed: seed)
        app = UInt8.random(in: 0..<4, using: &chooser) == 0 ? .background : .foreground
        network = Symbol.Route.allCases.randomElement(using: &chooser)!.path
        mood = Mood.allCases.randomElement(using: &chooser)!
        self.chooser = chooser
    }

    package struct Failure: Error, CustomStringConvertible {
        package var violation: Violation
        package var seed: UInt64
        package var setting: Setting
        package var steps: [Step]

        package var description: String {
            """
            \(violation)
              replay: explore --config \(setting.rawValue) --seed \(seed) --replay '\(Step.text(steps))'
            """
        }
    }

    private var draws: Draws { .seeded(SeededGenerator(seed: seed ^ 0x5EED)) }

    /// Walks until the machine has handled this many events.
    package mutating func run(events: Int) throws(Failure) -> Run {
        var run = Run(setting, app: app, network: network, draws: draws)
        var steps: [Step] = []
        steps.reserveCapacity(events * 2)
        while run.events < events {
            let step = choose(run)
            steps.append(step)
            let (before, then) = (run.machine, run.now)
            do {
                try run.perform(step, thorough: steps.count % 4 == 0)
            } catch {
                throw failure(error, steps)
            }
            if let edge = Edge(step, from: before, at: then, to: run.machine) { edges.insert(edge) }
        }
        do { try run.recover() } catch { throw failure(error, steps, recovering: true) }
        return run
    }

    private func failure(_ violation: Violation, _ steps: [Step], recovering: Bool = false) -> Failure {
        let minimal = Minimiser.shortest(steps) { steps in replay(steps, recovering: recovering) }
        return Failure(
            violation: minimal?.violation ?? violation, seed: seed, setting: setting, steps: minimal?.steps ?? steps)
    }

    /// Follows a script with this walk's start and draws.
    package func replay(_ steps: [Step], recovering: Bool = true) -> (step: Int, violation: Violation)? {
        var run = Run(setting, app: app, network: network, draws: draws)
        for (index, step) in steps.enumerated() {
            do { try run.perform(step) } catch { return (index, error) }
        }
        guard recovering else { return nil }
        do { try run.recover() } catch { return (steps.count - 1, error) }
        return nil
    }

    private mutating func choose(_ run: Run) -> Step {
        switch UInt8.random(in: 0..<10, using: &chooser) {
        case 0: .wait(Int64.random(in: 0...3_000_000_000, using: &chooser))
        case 1: .wait(Int64.random(in: 0...50_000_000_000, using: &chooser))
        case 2, 3, 4: .wake(late: late())
        default: .event(symbol(run))
        }
    }

    private mutating func late() -> Int64 {
        switch UInt8.random(in: 0..<8, using: &chooser) {
        case 0: Int64.random(in: -1_000_000_000...0, using: &chooser)
        case 1: Int64.random(in: 0...2_000_000_000, using: &chooser)
        case 2: Int64.random(in: 2_000_000_001...60_000_000_000, using: &chooser)
        default: 0
        }
    }

    private mutating func symbol(_ run: Run) -> Symbol {
        let dice = UInt8.random(in: 0..<100, using: &chooser)
        let likely = 3 * (mood == .wild ? 0 : 20)
        if dice < likely, let symbol = expected(run) { return symbol }
        switch mood {
        case .wild, .calm, .stormy: return Symbol.all.randomElement(using: &chooser)!.symbol
        case .restless:
            switch dice % 4 {
            case 0: return .ask(Symbol.Place.allCases.randomElement(using: &chooser)!)
            case 1: return dice % 8 == 1 ? .background : .foreground
            case 2: return .path(Symbol.Route.allCases.randomElement(using: &chooser)!)
            default: return Symbol.all.randomElement(using: &chooser)!.symbol
            }
        }
    }

    /// What a world in this mood would do next.
    private mutating func expected(_ run: Run) -> Symbol? {
        switch run.machine.state {
        case .idle: .ask(Symbol.Place.allCases.randomElement(using: &chooser)!)
        case .waiting: nil
        case .opening:
            mood == .stormy ? .ended(.current, Ending.allCases.randomElement(using: &chooser)!) : .opened(.current)
        case .open:
            switch UInt8.random(in: 0..<4, using: &chooser) {
            case 0: .message(.current)
            case 1: .frame(.current)
            case 2: mood == .stormy ? .ended(.current, Ending.allCases.randomElement(using: &chooser)!) : nil
            default: nil
            }
        case .closing: .ended(.current, .closed)
        case .held(.background): .foreground
        case .held(.offline): .path(.wifi)
        case .held(.refused): nil
        }
    }
}
