package import ConnectionCore

/// Tries every sequence of a small alphabet, breadth first, and looks at each situation once.
package struct Explorer: Sendable {
    package var setting: Setting
    package var app = AppState.foreground
    package var alphabet: [Step]
    /// What has happened before the first step of every sequence.
    package var prelude: [Step] = []
    package var depth: Int
    /// The search stops here at the latest; a report that was cut short says so.
    package var mostSituations = 1_000_000

    package init(_ setting: Setting, alphabet: [Step], depth: Int) {
        self.setting = setting
        self.alphabet = alphabet
        self.depth = depth
    }

    /// What was covered.
    package struct Report: Sendable {
        package var situations = 0
        package var events = 0
        /// The length of the longest sequences that were tried completely.
        package var depth = 0
        /// No situation was left to look at: longer sequences reach nothing new.
        package var isClosed = false
        package var edges: Set<Edge> = []
    }

    /// A violation with the shortest script to it.
    package struct Failure: Error, CustomStringConvertible {
        package var violation: Violation
        package var setting: Setting
        package var app: AppState
        package var draws: EndGenerator
        package var steps: [Step]

        package var description: String {
            """
            \(violation)
              replay: explore --config \(setting.rawValue) --app \(app) --draws \(draws) --replay '\(Step.text(steps))'
            """
        }
    }

    private struct Node {
        var run: Run
        var origin: Int
    }

    /// Explores with draws from this end of every range.
    package func explore(_ draws: EndGenerator) throws(Failure) -> Report {
        var report = Report()
        var seen: Set<Int> = []
        var origins: [(parent: Int, step: Step)] = []
        var start = Run(setting, app: app, network: .unknown, draws: .end(draws))
        for (index, step) in prelude.enumerated() {
            do { try start.perform(step) } catch {
                throw failure(error, draws, Array(prelude[...index]))
            }
        }
        seen.insert(start.fingerprint())
        var frontier = [Node(run: start, origin: -1)]
        while !frontier.isEmpty, report.depth < depth {
            var next: [Node] = []
            for node in frontier {
                for step in alphabet {
                    var run = node.run
                    let before = run.machine
                    do { try run.perform(step) } catch {
                        throw failure(error, draws, prelude + path(to: node.origin, origins) + [step])
                    }
                    report.events += run.events - node.run.events
                    if let edge = Edge(step, from: before, at: node.run.now, to: run.machine) {
                        report.edges.insert(edge)
                    }
                    guard seen.insert(run.fingerprint()).inserted else { continue }
                    guard seen.count < mostSituations else {
                        report.situations = seen.count
                        return report
                    }
                    origins.append((node.origin, step))
                    next.append(Node(run: run, origin: origins.count - 1))
                }
            }
            report.depth += 1
            frontier = next
        }
        report.isClosed = frontier.isEmpty
        report.situations = seen.count
        return report
    }

    private func failure(_ violation: Violation, _ draws: EndGenerator, _ steps: [Step]) -> Failure {
        let minimal = Minimiser.shortest(steps) { steps in
            Run.violation(setting, app: app, network: .unknown, draws: .end(draws), steps)
        }
        return Failure(
            violation: minimal?.violation ?? violation, setting: setting, app: app, draws: draws,
            steps: minimal?.steps ?? steps)
    }

    private func path(to origin: Int, _ origins: [(parent: Int, step: Step)]) -> [Step] {
        var steps: [Step] = []
        var origin = origin
        while origin >= 0 {
            steps.append(origins[origin].step)
            origin = origins[origin].parent
        }
        return steps.reversed()
    }
}
