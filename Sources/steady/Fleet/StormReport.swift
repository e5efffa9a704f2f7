internal import ConnectionCore
internal import FleetSimulator

/// A storm in the forms the command prints.
struct StormReport: FleetReport {
    let storm: Storm
    let outcome: Storm.Outcome
    /// The same loss for a client that finds a free server.
    let lone: Storm.Outcome

    var json: JSONText.Value {
        .object([
            ("policy", .text(storm.policy.rawValue)), ("clients", .whole(storm.clients)),
            ("acceptRate", .number(storm.server.rate)), ("down", .number(storm.down)),
            ("seed", .text(String(storm.seed))),
            ("attemptsPerClient", .number(outcome.attemptsPerClient)),
            ("peakPerSecond", .whole(outcome.peakPerSecond)), ("peakPer100ms", .whole(outcome.peakPer100ms)),
            ("t50", .number(outcome.t50)), ("t95", .number(outcome.t95)), ("t99", .number(outcome.t99)),
            ("optimumT99", .number(outcome.optimumT99)),
            ("recoveredShare", .number(outcome.recoveredShare, decimals: 6)),
            ("loneMean", .number(lone.meanRecovery.map { $0 - storm.down })), ("loneP95", .number(lone.t95)),
            ("events", .whole(outcome.events)), ("queueEvents", .whole(outcome.queueEvents)),
            ("seconds", .number(outcome.seconds)),
        ])
    }

    /// For people.
    var text: String {
        let rate = storm.server.rate.map { "\(plain($0)) per second" } ?? "everyone"
        var lines = [
            "\(counted(storm.clients, "client")), \(loss); the server accepts \(rate)"
                + (storm.down > 0 ? " after \(number(storm.down, 3)) s of outage." : "."),
            "Policy \(storm.policy.rawValue): \(storm.policy.source).",
            "",
            "Each client makes \(number(outcome.attemptsPerClient)) attempts until it has a socket.",
            "In the worst second \(grouped(outcome.peakPerSecond)) attempts arrive, "
                + "in the worst tenth \(grouped(outcome.peakPer100ms)).",
        ]
        if let rate = storm.server.rate, Double(outcome.peakPerSecond) > rate {
            lines[lines.count - 1] +=
                " That is \(number(Double(outcome.peakPerSecond) / rate)) times what the server accepts."
        }
        if let half = outcome.t50, let most = outcome.t95, let all = outcome.t99 {
            lines.append(
                "Half of them are back after \(number(half)) s, 95 % after \(number(most)) s, 99 % after \(number(all)) s."
            )
            if outcome.optimumT99 >= 1 {
                lines.append(
                    "A server that never idled would need \(number(outcome.optimumT99)) s for the 99 %: this is "
                        + "\(number(all / outcome.optimumT99, 2)) times as long.")
            }
        } else {
            lines.append(
                "It is not over: after \(number(outcome.seconds)) s "
                    + "\(number(outcome.recoveredShare * 100)) % have a socket.")
        }
        if let mean = lone.meanRecovery, let late = lone.t95 {
            lines.append(
                "A client to whom it happens alone waits \(number(mean - storm.down)) s on average, "
                    + "\(number(late)) s at the 95th percentile"
                    + (storm.down > 0 ? ", from the end of the outage." : "."))
        }
        return lines.joined(separator: "\n")
    }

    private var loss: String {
        switch storm.loss {
        case .connectionLost: "every socket lost at once"
        case .drained(let code, let seconds): "every socket closed with \(code.rawValue) within \(number(seconds, 3)) s"
        case .pathReturn(let after, let spread):
            "no network for \(number(after)) s and a return spread by \(number(spread, 3)) s"
        case .silence: "every socket silent from one moment on"
        }
    }

    static let header = [
        "policy", "attempts", "peak/s", "peak/100ms", "t50", "t95", "t99", "x optimum", "lone mean", "lone p95",
    ]

    var row: [String] {
        [
            storm.policy.rawValue, number(outcome.attemptsPerClient), grouped(outcome.peakPerSecond),
            grouped(outcome.peakPer100ms), number(outcome.t50), number(outcome.t95), number(outcome.t99),
            number(outcome.t99.flatMap { outcome.optimumT99 >= 1 ? $0 / outcome.optimumT99 : nil }, 2),
            number(lone.meanRecovery.map { $0 - storm.down }), number(lone.t95),
        ]
    }

    static func table(_ reports: [StormReport]) -> String { FleetOutput.table([header] + reports.map(\.row)) }

    /// One row per policy and second.
    static func csv(_ reports: [StormReport]) -> [[String]] {
        var rows = [["policy", "second", "attempts", "recovered"]]
        for report in reports {
            let attempts = report.outcome.attempts.everySecond
            let recoveries = report.outcome.recoveries.everySecond
            var recovered = 0
            for second in 0..<report.lastSecond {
                recovered += second < recoveries.count ? recoveries[second] : 0
                let arrived = second < attempts.count ? attempts[second] : 0
                rows.append([report.storm.policy.rawValue, String(second), String(arrived), String(recovered)])
            }
        }
        return rows
    }

    static func panels(_ reports: [StormReport]) -> [Gnuplot.Panel] {
        let end = reports.map { ($0.outcome.t99 ?? 600) + $0.storm.down }.max() ?? 600
        func series(_ values: (StormReport) -> [Double]) -> [Gnuplot.Series] {
            reports.map { report in
                let points = values(report).prefix(Int(end * 1.05) + 1).enumerated()
                return Gnuplot.Series(
                    title: report.storm.policy.rawValue, points: points.map { (x: Double($0.offset), y: $0.element) })
            }
        }
        return [
            Gnuplot.Panel(
                title: "Attempts that arrive", x: "seconds after the loss", y: "per second (none at 1)",
                logarithmic: true,
                series: series { $0.outcome.attempts.everySecond.map { Double(max($0, 1)) } }),
            Gnuplot.Panel(
                title: "Clients with a socket", x: "seconds after the loss", y: "share",
                series: series { report in
                    var sum = 0
                    return report.outcome.recoveries.everySecond.map { second in
                        sum += second
                        return Double(sum) / Double(report.storm.clients)
                    }
                }),
        ]
    }

    private var lastSecond: Int { max(1, Int(outcome.seconds.rounded(.up))) }
}

/// A number for people; a dash for none.
func number(_ value: Double?, _ decimals: Int = 1) -> String {
    value.flatMap { JSONText.decimal($0, decimals) } ?? "–"
}

/// A count with its noun, which takes an s for the plural.
func counted(_ count: Int, _ noun: String) -> String { "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")" }

/// A rate for people: thousands apart, and decimals only if it has any.
private func plain(_ rate: Double) -> String {
    rate == rate.rounded() ? grouped(Int(rate)) : number(rate, 3)
}

/// A whole number with its thousands apart.
func grouped(_ value: Int) -> String {
    var digits = String(value.magnitude)
    var groups: [String] = []
    while digits.count > 3 {
        groups.insert(String(digits.suffix(3)), at: 0)
        digits.removeLast(3)
    }
    return (value < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
}
