internal import FleetSimulator

/// A loop in the forms the command prints.
struct LoopReport: FleetReport {
    let loop: Loop
    let outcome: Loop.Outcome

    var json: JSONText.Value {
        .object([
            ("policy", .text(loop.policy.rawValue)), ("clients", .whole(loop.clients)),
            ("seed", .text(String(loop.seed))),
            ("attemptsPerClientHour", .number(outcome.attemptsPerClientHour)),
            ("connectsPerClientHour", .number(outcome.connectsPerClientHour)),
            ("peakPerSecond", .whole(outcome.attempts.peak(within: 1))),
            ("events", .whole(outcome.events)), ("queueEvents", .whole(outcome.queueEvents)),
            ("seconds", .number(loop.seconds)),
        ])
    }

    var text: String {
        """
        Policy \(loop.policy.rawValue): \(loop.policy.source).
        Each client makes \(number(outcome.attemptsPerClientHour)) attempts per hour and gets \
        \(number(outcome.connectsPerClientHour)) sockets.
        """
    }

    private var figures: [String] {
        [loop.policy.rawValue, number(outcome.attemptsPerClientHour), number(outcome.connectsPerClientHour)]
    }

    static func table(_ reports: [LoopReport]) -> String {
        FleetOutput.table(
            [["policy", "attempts/client-hour", "sockets/client-hour", "peak/s"]]
                + reports.map { $0.figures + [grouped($0.outcome.attempts.peak(within: 1))] })
    }

    static func csv(_ reports: [LoopReport]) -> [[String]] {
        [["policy", "attemptsPerClientHour", "connectsPerClientHour", "peakPerSecond"]]
            + reports.map { $0.figures + [String($0.outcome.attempts.peak(within: 1))] }
    }

    static func panels(_ reports: [LoopReport]) -> [Gnuplot.Panel] {
        let bars = reports.enumerated().map { (x: Double($0.offset), y: $0.element.outcome.attemptsPerClientHour) }
        return [
            Gnuplot.Panel(
                title: "Attempts per client and hour", x: "", y: "attempts",
                labels: reports.map(\.loop.policy.rawValue),
                series: [Gnuplot.Series(title: "attempts", points: bars)])
        ]
    }
}
