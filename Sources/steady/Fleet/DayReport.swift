internal import FleetSimulator

/// A day in the forms the command prints.
struct DayReport: FleetReport {
    let day: Day
    let outcome: Day.Outcome

    var json: JSONText.Value {
        .object([
            ("policy", .text(day.policy.rawValue)), ("users", .whole(day.users)), ("seed", .text(String(day.seed))),
            ("segments", .whole(outcome.segments)), ("attempts", .whole(outcome.attempts)),
            ("connects", .whole(outcome.connects)),
            ("socketsPerSegment", .number(outcome.socketsPerSegment, decimals: 4)),
            ("socketsPerUser", .number(outcome.socketsPerUser)),
            ("under30sShare", .number(outcome.under30sShare, decimals: 4)),
            (
                "closeCodeShares",
                .object(outcome.closeCodeShares.map { (String($0.code), .number($0.share, decimals: 4)) })
            ),
            ("unservedSegmentShare", .number(outcome.unservedSegmentShare, decimals: 4)),
            ("secondsUntilOpen", .number(outcome.secondsUntilOpen)),
            ("backgroundSecondsPerUser", .number(outcome.backgroundSecondsPerUser, decimals: 1)),
            ("events", .whole(outcome.events)), ("queueEvents", .whole(outcome.queueEvents)),
        ])
    }

    /// For people.
    var text: String {
        let codes = outcome.closeCodeShares.map { "\($0.code): \(percent($0.share))" }.joined(separator: ", ")
        return """
            A day of \(counted(day.users, "user")), \(counted(outcome.segments, "segment")) in the foreground.
            Policy \(day.policy.rawValue): \(day.policy.source).

            The server sees \(number(outcome.socketsPerSegment, 2)) sockets per segment, \
            \(number(outcome.socketsPerUser)) per user.
            \(percent(outcome.under30sShare)) of them live less than 30 s.
            Close codes: \(codes).
            \(percent(outcome.unservedSegmentShare)) of the segments never have a socket; those that begin without \
            one and get one wait \(number(outcome.secondsUntilOpen)) s for it.
            Sockets are open in the background for \(number(outcome.backgroundSecondsPerUser)) s per user.
            """
    }

    static func table(_ reports: [DayReport]) -> String {
        let header = [
            "policy", "sockets/segment", "< 30 s", "1000", "1001", "1005", "1006", "unserved", "until open",
            "background s",
        ]
        return FleetOutput.table([header] + reports.map(\.row))
    }

    private var row: [String] {
        let codes = [1000, 1001, 1005, 1006].map { percent(share(of: $0)) }
        return [day.policy.rawValue, number(outcome.socketsPerSegment, 2), percent(outcome.under30sShare)] + codes + [
            percent(outcome.unservedSegmentShare), number(outcome.secondsUntilOpen),
            number(outcome.backgroundSecondsPerUser),
        ]
    }

    private func share(of code: UInt16) -> Double { outcome.closeCodeShares.first { $0.code == code }?.share ?? 0 }

    static func csv(_ reports: [DayReport]) -> [[String]] {
        let header = [
            "policy", "socketsPerSegment", "under30sShare", "share1000", "share1001", "share1005", "share1006",
            "unservedSegmentShare", "secondsUntilOpen", "backgroundSecondsPerUser",
        ]
        return [header]
            + reports.map { report in
                let outcome = report.outcome
                let figures =
                    [outcome.socketsPerSegment, outcome.under30sShare] + [1000, 1001, 1005, 1006].map(report.share)
                    + [outcome.unservedSegmentShare]
                let waited = outcome.secondsUntilOpen.map { number($0, 4) } ?? ""
                return [report.day.policy.rawValue] + figures.map { number($0, 4) } + [
                    waited, number(outcome.backgroundSecondsPerUser, 4),
                ]
            }
    }

    static func panels(_ reports: [DayReport]) -> [Gnuplot.Panel] {
        let labels = reports.map(\.day.policy.rawValue)
        return [
            Gnuplot.Panel(
                title: "Sockets per foreground segment", x: "", y: "sockets", labels: labels,
                series: [Gnuplot.Series(title: "sockets", points: bars(reports) { $0.outcome.socketsPerSegment })]),
            Gnuplot.Panel(
                title: "How sockets end", x: "", y: "share", labels: labels,
                series: ([1000, 1001, 1005, 1006] as [UInt16]).map { code in
                    Gnuplot.Series(title: String(code), points: bars(reports) { $0.share(of: code) })
                }),
        ]
    }

    private static func bars(_ reports: [DayReport], _ value: (DayReport) -> Double) -> [(x: Double, y: Double)] {
        reports.enumerated().map { (x: Double($0.offset), y: value($0.element)) }
    }
}

/// A share in percent, for people.
func percent(_ share: Double) -> String { number(share * 100) + " %" }
