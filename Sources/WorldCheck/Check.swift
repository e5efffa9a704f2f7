internal import Dispatch

/// Deterministic simulation testing: random worlds around the shipping connection, judged by its promises.
package enum Check {
    /// A seed whose world the connection does not stand, with the shortest script that shows it.
    package struct Failure: Sendable, CustomStringConvertible {
        package let seed: UInt64
        package let violation: Violation
        package let script: [Happening]
        /// How many things happened in the world it was found in.
        package let foundAmong: Int

        package var description: String {
            """
            seed \(seed): \(violation) (\(script.count) of \(foundAmong) happenings do it)
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
        /// Simulated nanoseconds.
        package var nanoseconds: Int64 = 0
        /// How often each kind of thing was in a script.
        package var happenings: [String: Int] = [:]
        /// How often the servers saw each close code.
        package var closes: [UInt16: Int] = [:]
        /// How often a wait fell into each tenth of what its law allows.
        package var draws: [String: [Int]] = [:]
        /// The worlds in which a rule was broken.
        package var broken = 0
        /// The first of them.
        package var failures: [Failure] = []

        package init() {}

        package mutating func add(_ other: Report) {
            worlds += other.worlds
            steps += other.steps
            attempts += other.attempts
            nanoseconds += other.nanoseconds
            happenings.merge(other.happenings, uniquingKeysWith: +)
            closes.merge(other.closes, uniquingKeysWith: +)
            draws.merge(other.draws) { zip($0, $1).map(+) }
            broken += other.broken
            failures += other.failures
        }
    }

    /// Runs the worlds of these seeds. The report is the same for any number of threads.
    ///
    /// - Parameters:
    ///   - most: how many failures are cut down to what matters; the rest is only counted.
    package static func run(seeds: Range<UInt64>, threads: Int, showing most: Int = 10) -> Report {
        let threads = max(1, min(threads, seeds.count))
        let results = Results(threads)
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            let queue = DispatchQueue(label: "steady.world")
            var result = Result()
            for seed in stride(from: seeds.lowerBound + UInt64(thread), to: seeds.upperBound, by: threads) {
                Running.begin(seed, thread)
                let script = Plan.script(seed: seed)
                for happening in script { result.report.happenings[happening.what.kind, default: 0] += 1 }
                let violation = queue.sync { live(seed, script, queue, &result.report) }
                if let violation { result.broken.append((seed, violation)) }
                Running.end(thread)
            }
            results.set(result, at: thread)
        }
        var report = Report()
        for result in results.all { report.add(result.report) }
        let broken = results.all.flatMap(\.broken).sorted { $0.seed < $1.seed }
        report.broken = broken.count
        let queue = DispatchQueue(label: "steady.world")
        report.failures = broken.prefix(most).map { seed, violation in
            failure(seed, Plan.script(seed: seed), violation) { script in
                var unused = Report()
                return queue.sync { live(seed, script, queue, &unused) }
            }
        }
        return report
    }

    private static func live(
        _ seed: UInt64, _ script: [Happening], _ queue: DispatchQueue, _ report: inout Report
    ) -> Violation? {
        let world = World(seed: seed, script: script, queue: queue)
        world.live()
        report.worlds += 1
        report.steps += world.steps
        report.attempts += world.sockets.count
        report.nanoseconds += world.now
        for code in world.closesSeen { report.closes[code, default: 0] += 1 }
        report.draws.merge(world.judge.draws) { zip($0, $1).map(+) }
        world.dismantle()
        return world.judge.violation
    }

    /// Follows a script and says what happens, line by line; returns the broken rule, nil if none is.
    package static func replay(
        seed: UInt64, _ script: [Happening], trace: @escaping (String) -> Void
    ) -> Violation? {
        let queue = DispatchQueue(label: "steady.world")
        return queue.sync {
            let world = World(seed: seed, script: script, queue: queue, trace: trace)
            world.live()
            world.dismantle()
            return world.judge.violation
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

/// What a thread found.
private struct Result {
    var report = Check.Report()
    var broken: [(seed: UInt64, violation: Violation)] = []
}

/// `@unchecked Sendable` holds because each thread writes a place of its own, and all are read when every thread is done.
private final class Results: @unchecked Sendable {
    private let places: UnsafeMutableBufferPointer<Result>

    init(_ count: Int) {
        places = .allocate(capacity: count)
        places.initialize(repeating: Result())
    }

    deinit {
        places.deinitialize()
        places.deallocate()
    }

    func set(_ result: Result, at index: Int) { places[index] = result }

    var all: [Result] { Array(places) }
}

/// Which seeds are being tried, for a handler that runs when the process crashes: it may touch plain memory only.
package enum Running {
    package static let most = 256
    /// The seed of each thread plus 1; 0 for none.
    nonisolated(unsafe) package static let seeds: UnsafeMutablePointer<UInt64> = {
        let seeds = UnsafeMutablePointer<UInt64>.allocate(capacity: most)
        seeds.initialize(repeating: 0, count: most)
        return seeds
    }()

    static func begin(_ seed: UInt64, _ thread: Int) { if thread < most { seeds[thread] = seed + 1 } }
    static func end(_ thread: Int) { if thread < most { seeds[thread] = 0 } }
}
