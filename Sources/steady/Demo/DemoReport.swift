internal import ConnectionLedger

/// What the server saw of one app, in numbers.
struct DemoReport {
    let connects: Int
    let foregroundSessions: Int
    let under30sShare: Double
    let closeCodes: [UInt16: Int]
    let outageReconnects: Int
    /// The sockets in the order they opened, in seconds of the script.
    let sockets: [Socket]

    struct Socket {
        let opened: Double
        let closed: Double
        let code: UInt16
    }

    init(_ outcome: DemoRun.Outcome, script: DemoScript) {
        var statistics = LedgerStatistics(timeScale: outcome.speed)
        statistics.add(outcome.entries)
        func seconds(_ time: WallTime) -> Double {
            Double(time.milliseconds - outcome.start.milliseconds) / 1000 * outcome.speed
        }
        connects = statistics.connects
        foregroundSessions = script.foregroundSessions
        under30sShare = statistics.shortLivedShare ?? 0
        closeCodes = statistics.closeCodes
        let attempts = outcome.entries.compactMap(\.refusal).map { seconds($0.time) }
        outageReconnects = attempts.count { time in script.outages.contains { $0.contains(time) } }
        sockets = outcome.entries.compactMap(\.socket)
            .map {
                Socket(
                    opened: seconds($0.opened), closed: seconds($0.opened) + $0.seconds * outcome.speed, code: $0.code)
            }
            .sorted { $0.opened < $1.opened }
    }

    var socketsPerSession: Double { foregroundSessions == 0 ? 0 : Double(connects) / Double(foregroundSessions) }
}

/// Both reports for programs: the keys are part of the command's promise.
struct DemoJSON: Encodable {
    struct Side: Encodable {
        let connects: Int
        let foregroundSessions: Int
        let socketsPerSession: Double
        let under30sShare: Double
        let closeCodes: [String: Int]
        let outageReconnects: Int

        init(_ report: DemoReport) {
            connects = report.connects
            foregroundSessions = report.foregroundSessions
            socketsPerSession = rounded(report.socketsPerSession)
            under30sShare = rounded(report.under30sShare)
            closeCodes = Dictionary(uniqueKeysWithValues: report.closeCodes.map { (String($0.key), $0.value) })
            outageReconnects = report.outageReconnects
        }
    }

    let speed: Double
    let seconds: Double
    let old: Side
    let steady: Side
}

private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
