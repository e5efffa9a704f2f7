internal import ConnectionCore
internal import WorldCheck

/// `steady fleet check`: deterministic simulation testing of the connection.
enum CheckCommand {
    static let seeds = Option("seeds", "N", "How many worlds. Default 1000.", .integer(1...100_000_000))
    static let firstSeed = Option("first-seed", "N", "The first seed. Default 1.", .integer(0...1 << 60))
    static let seed = Option("seed", "N", "The seed of the world to follow.", .integer(0...1 << 60))
    static let replay = Option(
        "replay", "SCRIPT", "Follow this script in the world of --seed, and print what happens.", .text)

    static let command = Command(
        spec: CommandSpec(
            name: "fleet check", summary: "Try the connection in random worlds, against its promises.",
            details: """
                Each seed makes a world: an app that asks, sends, reads, goes to the background and is frozen there; a
                network that goes, comes back and loses what is open; a server that refuses, crashes, falls silent and
                closes with any code; timers that are late or early, a clock that jumps, facts that come together in any
                order or long after their attempt. The shipping connection, with the driver and the machine, lives in
                it, on one thread and in virtual time. Afterwards the world turns good, and the channel asked for must
                be open within 153 s, unless the server demanded more.

                A failure prints the seed and the shortest script found that breaks the same rule; --replay follows it.
                The search ends at the first block of 1,000 worlds with one. Not part of these worlds: the request
                provider, calls from other threads, the streams, breaches of the protocol, other configurations than
                `standard` and `stormSafe`.

                --json prints `worlds`, `steps`, `attempts`, `broken` (worlds), `seconds` (simulated), `happenings` and
                `closeCodes` with their counts, and `failures`, each with `seed`, `rule`, `detail`, `at` and `script`.
                """,
            options: [
                seeds.once, firstSeed.once, FleetArguments.threads.once, FleetArguments.json.argument, seed.once,
                replay.once,
            ],
            exitCodes: [.success, .failure]),
        run: run)

    /// A failure ends the search at the end of its block, so that the report does not depend on the threads.
    private static let blockSize: UInt64 = 1000

    @Sendable
    private static func run(_ arguments: ParsedArguments) async throws(UsageError) -> ExitCode {
        if let text = arguments.value(replay) {
            guard let seed = arguments.value(seed) else {
                throw UsageError("--replay needs the --seed of its world", command: "fleet check")
            }
            do {
                return follow(try Happening.script(text), UInt64(seed))
            } catch {
                throw UsageError("--replay: \(error)", command: "fleet check")
            }
        }
        if arguments.value(seed) != nil {
            throw UsageError("--seed goes with --replay; use --first-seed and --seeds", command: "fleet check")
        }
        let first = UInt64(arguments.value(firstSeed) ?? 1)
        let count = arguments.value(seeds) ?? 1000
        let start = ContinuousClock.now
        CrashNote.install()
        var bar = ProgressBar("check")
        var report = Check.Report()
        var next = first
        let end = first + UInt64(count)
        while next < end, report.failures.isEmpty {
            let stop = min(end, next + blockSize)
            report.add(Check.run(seeds: next..<stop, threads: FleetArguments.threads(arguments)))
            next = stop
            bar.show(Double(next - first) / Double(count))
        }
        bar.clear()
        let wall = (ContinuousClock.now - start).inSeconds
        Output.complaint("steady: check: \(JSONText.decimal(wall, 2) ?? "?") s")
        if arguments.has(FleetArguments.json) {
            Output.line(JSONText.write(json(report)))
        } else {
            Output.line(text(report))
        }
        return report.failures.isEmpty ? .success : .failure
    }

    private static func follow(_ script: [Happening], _ seed: UInt64) -> ExitCode {
        let violation = Check.replay(seed: seed, script) { Output.line($0) }
        guard let violation else {
            Output.line("nothing wrong")
            return .success
        }
        Output.line("BROKEN: \(violation)")
        return .failure
    }

    static func text(_ report: Check.Report) -> String {
        let days = JSONText.decimal(Double(report.nanoseconds) / 86_400e9, 1) ?? ""
        let closes = report.closes.sorted { $0.key < $1.key }.map { "\(grouped($0.value)) × \($0.key)" }
        var lines = report.failures.map(\.description)
        lines.append(
            """
            \(grouped(report.worlds)) worlds, \(days) days in them, \(grouped(report.steps)) steps, \
            \(grouped(report.attempts)) attempts; servers saw the closes \(closes.joined(separator: ", "))
            """)
        lines.append(
            report.broken == 0 ? "no rule broken" : "\(grouped(report.broken)) worlds broke a rule; the search ended")
        return lines.joined(separator: "\n")
    }

    static func json(_ report: Check.Report) -> JSONText.Value {
        .object([
            ("worlds", .whole(report.worlds)), ("steps", .whole(report.steps)),
            ("attempts", .whole(report.attempts)), ("broken", .whole(report.broken)),
            ("seconds", .number(Double(report.nanoseconds) / 1e9)),
            (
                "happenings",
                .object(report.happenings.sorted { $0.key < $1.key }.map { ($0.key, .whole($0.value)) })
            ),
            (
                "closeCodes",
                .object(report.closes.sorted { $0.key < $1.key }.map { (String($0.key), .whole($0.value)) })
            ),
            (
                "failures",
                .array(
                    report.failures.map { failure in
                        .object([
                            ("seed", .whole(Int(failure.seed))), ("rule", .text(failure.violation.rule.rawValue)),
                            ("detail", .text(failure.violation.detail)),
                            ("at", .number(Double(failure.violation.at) / 1e9)),
                            ("script", .text(Happening.text(failure.script))),
                        ])
                    })
            ),
        ])
    }
}
