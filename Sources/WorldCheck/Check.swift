internal import Dispatch

/// Deterministic simulation testing: random worlds around the shipping connection, judged by its promises.
package enum Check {
    /// A seed whose world the connection does not stand, with the shortest script that shows it.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        package let seed: UInt64
        package let violation: Violation
        package let script: [Happening]
        /// How many things happened in the world it was found in.
        package let foundAmong: Int

        package var description: String {
            """
            seed \(seed): \(violation)
              replay: steady fleet check --seed \(seed) --replay '\(Happening.text(script))'
            """
        }
    }

    /// What a number of worlds came to.
    package struct Report: Sendable {
        package var worlds = 0
        /// Things the connection was told, and things that happened without it.
        package var steps = 0
        package var attempts = 0
        /// Simulated seconds.
        package var seconds = 0.0
        /// How often each kind of thing was in a script.
        package var happenings: [String: Int] = [:]
        /// How often the servers saw each close code.
        package var closes: [UInt16: Int] = [:]
        package var failures: [Failure] = []

        package init() {}

        package mutating func add(_ other: Report) {
            worlds += other.worlds
            steps += other.steps
            attempts += other.attempts
            seconds += other.seconds
            happenings.merge(other.happenings, uniquingKeysWith: +)
            closes.merge(other.closes, uniquingKeysWith: +)
            failures += other.failures
        }
    }

    /// Runs the worlds of these seeds. The report is the same for any number of threads.
    ///
    /// - Parameters:
    ///   - most: after this many failures a thread stops.
    package static func run(seeds: Range<UInt64>, threads: Int, stopAfter most: Int = 10) -> Report {
        let threads = max(1, min(threads, seeds.count))
        let reports = Reports(threads)
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            let queue = DispatchQueue(label: "steady.world")
            var report = Report()
            for seed in stride(from: seeds.lowerBound + UInt64(thread), to: seeds.upperBound, by: threads) {
                report.add(world(seed, queue))
                if report.failures.count >= most { break }
            }
            reports.set(report, at: thread)
        }
        var whole = Report()
        for report in reports.all { whole.add(report) }
        whole.failures.sort { $0.seed < $1.seed }
        return whole
    }

    private static func world(_ seed: UInt64, _ queue: DispatchQueue) -> Report {
        let script = Plan.script(seed: seed)
        var report = Report()
        report.worlds = 1
        for happening in script { report.happenings[happening.what.kind, default: 0] += 1 }
        let violation = queue.sync { live(seed, script, queue, &report) }
        if let violation {
            report.failures = [failure(seed, script, violation) { Self.violation(of: seed, $0, queue) }]
        }
        return report
    }

    private static func violation(of seed: UInt64, _ script: [Happening], _ queue: DispatchQueue) -> Violation? {
        queue.sync {
            var report = Report()
            return live(seed, script, queue, &report)
        }
    }

    private static func live(
        _ seed: UInt64, _ script: [Happening], _ queue: DispatchQueue, _ report: inout Report
    ) -> Violation? {
        let world = World(seed: seed, script: script, queue: queue)
        world.live()
        report.steps += world.steps
        report.attempts += world.sockets.count
        report.seconds += Double(world.now) / 1e9
        for code in world.closesSeen { report.closes[code, default: 0] += 1 }
        world.dismantle()
        return world.judge.violation
    }

    /// Follows a script and says what happened, line by line.
    package static func replay(
        seed: UInt64, _ script: [Happening]
    ) -> (trace: [String], violation: Violation?) {
        let queue = DispatchQueue(label: "steady.world")
        return queue.sync {
            let world = World(seed: seed, script: script, queue: queue, traced: true)
            world.live()
            defer { world.dismantle() }
            return (world.trace ?? [], world.judge.violation)
        }
    }

    /// Cuts the script down while it still breaks the same rule: halves first, then single things.
    static func failure(
        _ seed: UInt64, _ script: [Happening], _ violation: Violation, _ check: ([Happening]) -> Violation?
    ) -> Failure {
        var best = script
        var found = violation
        var size = max(1, best.count / 2)
        while true {
            var index = 0
            var shortened = false
            while index < best.count {
                var candidate = best
                candidate.removeSubrange(index..<min(index + size, best.count))
                if let now = check(candidate), now.rule == violation.rule {
                    (best, found) = (candidate, now)
                    shortened = true
                } else {
                    index += size
                }
            }
            if size > 1 { size /= 2 } else if !shortened { break }
        }
        return Failure(seed: seed, violation: found, script: best, foundAmong: script.count)
    }
}

/// `@unchecked Sendable` holds because each thread writes a place of its own, and all are read when every thread is done.
private final class Reports: @unchecked Sendable {
    private let places: UnsafeMutableBufferPointer<Check.Report>

    init(_ count: Int) {
        places = .allocate(capacity: count)
        places.initialize(repeating: Check.Report())
    }

    deinit {
        places.deinitialize()
        places.deallocate()
    }

    func set(_ report: Check.Report, at index: Int) { places[index] = report }

    var all: [Check.Report] { Array(places) }
}
