import ConnectionCore
import ConnectionModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Ends with 64, as a command called the wrong way does.
func fail(_ message: String) -> Never {
    print("explore: \(message)\n\(usage)")
    exit(64)
}

@MainActor
func number(_ name: String, default fallback: Int) -> Int {
    guard let text = options[name] else { return fallback }
    guard let value = Int(text), value >= 0 else { fail("\(name) needs a number, not \(text)") }
    return value
}

func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

@MainActor
func explore(_ settings: [Setting]) throws {
    let full = options["--depth"] == "full"
    if let depth = options["--depth"], depth != "full", depth != "test" { fail("--depth is test or full") }
    var edges = try walk(settings)
    for world in SmallWorld.all {
        for setting in settings {
            for draws in EndGenerator.allCases {
                let began = processorSeconds()
                let report = try world.explorer(setting, full: full).explore(draws)
                edges.formUnion(report.edges)
                print(
                    "\(world), \(setting.rawValue), \(draws) draws: \(report.situations) situations,",
                    "\(report.events) events, \(report.isClosed ? "closed at" : "depth") \(report.depth),",
                    "\(report.edges.count) edges, \(Int((processorSeconds() - began) * 1000)) ms")
            }
        }
    }
    print("edges of the state table seen: \(edges.count)")
}

@MainActor
private func walk(_ settings: [Setting]) throws -> Set<Edge> {
    let seeds = number("--seeds", default: 200)
    let events = number("--events", default: 5000)
    let first = number("--first-seed", default: 1)
    let began = processorSeconds()
    var walked = 0
    var attempts: UInt64 = 0
    var edges: Set<Edge> = []
    for seed in first..<first + seeds {
        let setting = settings[seed % settings.count]
        var walk = Walk(seed: UInt64(seed), setting: setting)
        let run = try walk.run(events: events)
        walked += run.events
        edges.formUnion(walk.edges)
        attempts += run.machine.lastAttempt.number
    }
    print(
        "walks: \(seeds) seeds, \(walked) events, \(attempts) attempts, \(edges.count) edges,",
        "\(Int((processorSeconds() - began) * 1000)) ms")
    return edges
}

@MainActor
func replay(_ steps: [Step], _ settings: [Setting]) throws {
    for setting in settings {
        let found: (step: Int, violation: Violation)?
        if let seed = options["--seed"] {
            guard let seed = UInt64(seed) else { fail("--seed needs a number, not \(seed)") }
            found = Walk(seed: seed, setting: setting).replay(steps)
        } else {
            let name = options["--draws"] ?? "shortest"
            guard let draws = EndGenerator.allCases.first(where: { "\($0)" == name }) else {
                fail("--draws is shortest or longest, not \(name)")
            }
            let appName = options["--app"] ?? "foreground"
            guard let app = AppState.allCases.first(where: { "\($0)" == appName }) else {
                fail("--app is foreground or background, not \(appName)")
            }
            found = Run.violation(setting, app: app, network: .unknown, draws: .end(draws), steps)
        }
        if let found {
            print("after step \(found.step + 1) of \(steps.count)")
            throw found.violation
        }
        print("\(setting.rawValue): nothing wrong")
    }
}
