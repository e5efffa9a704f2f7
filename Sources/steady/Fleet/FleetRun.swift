internal import FleetSimulator

/// What one simulation came to, in the forms the `fleet` commands print.
protocol FleetReport {
    var json: JSONText.Value { get }
    /// For people.
    var text: String { get }
    static func table(_ reports: [Self]) -> String
    static func csv(_ reports: [Self]) -> [[String]]
    /// What `--plot` draws.
    static func panels(_ reports: [Self]) -> [Gnuplot.Panel]
}

/// What a simulation cost.
protocol FleetOutcome {
    var events: Int { get }
    var bytesPerClient: Double { get }
}

extension Storm.Outcome: FleetOutcome {}
extension Day.Outcome: FleetOutcome {}
extension Loop.Outcome: FleetOutcome {}

/// How every `fleet` command that compares policies runs.
enum FleetRun {
    /// Simulates each policy, prints the results and writes them to the files that were asked for.
    static func run<Report: FleetReport>(
        _ arguments: ParsedArguments, _ policies: [Policy], simulate: (Policy) -> Report
    ) -> ExitCode {
        let csv = arguments.value(FleetArguments.csv)
        let plot = arguments.value(FleetArguments.plot)
        if let csv, csv == plot?.path {
            Output.complaint("steady: --csv and --plot cannot both write \(quoted(csv))")
            return .cannotCreate
        }
        // Before the work, which can take minutes.
        guard plot == nil || FleetOutput.canPlot(), FleetOutput.canCreate([csv, plot?.path].compactMap(\.self)) else {
            return .cannotCreate
        }
        let reports = policies.map(simulate)
        let text: String
        if arguments.has(FleetArguments.json) {
            let objects = reports.map(\.json)
            text = JSONText.write(objects.count > 1 ? .array(objects) : objects[0])
        } else {
            text = reports.count > 1 ? Report.table(reports) : reports[0].text
        }
        // The figures can have taken minutes: that they are lost must not look like success.
        if let number = Output.line(text) {
            Output.complaint("steady: cannot write to standard output: \(Output.meaning(of: number))")
            return .ioError
        }
        if let csv, !FleetOutput.csv(Report.csv(reports), to: csv) { return .cannotCreate }
        if let plot, !FleetOutput.plot(Report.panels(reports), to: plot) { return .failure }
        return .success
    }

    /// Runs one simulation behind a progress bar and says what it cost.
    static func watched<Outcome: FleetOutcome>(
        _ policy: Policy, _ simulation: ((Double) -> Void) -> Outcome
    ) -> Outcome {
        var bar = ProgressBar(policy.rawValue)
        let start = ContinuousClock.now
        let outcome = simulation { bar.show($0) }
        bar.clear()
        FleetOutput.cost(
            policy.rawValue, since: start, events: outcome.events, bytesPerClient: outcome.bytesPerClient)
        return outcome
    }
}
