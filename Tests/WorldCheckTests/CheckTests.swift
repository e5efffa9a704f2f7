import Testing

@testable import WorldCheck

@Suite struct CheckTests {
    @Test func theConnectionStandsEveryWorld() {
        let report = Check.run(seeds: 1..<601, threads: 2)
        #expect(report.failures.isEmpty, "\(report.failures.map(\.description).joined(separator: "\n"))")
        #expect(report.worlds == 600)
    }

    @Test func worldsHaveEverythingInThem() {
        let report = Check.run(seeds: 1..<601, threads: 1)
        let kinds: [Happening.What] =
            [
                .ask(.a), .disconnect(nil), .shutDown, .send(waits: nil), .reader(on: true), .reader(on: false),
                .background,
                .foreground, .expire, .sleep(1), .jump(1), .tick, .close(1000), .drop, .mute, .deaf, .message,
                .serverPing,
                .server(.up), .server(.down), .server(.silent), .server(.refuses(status: 503, retryAfter: 1)),
                .server(.refuses(status: 429, retryAfter: 1)), .server(.refuses(status: 401, retryAfter: 0)),
                .server(.refuses(status: 403, retryAfter: 0)), .server(.refuses(status: 500, retryAfter: 0)),
                .server(.crashes(1008, after: 1)), .server(.crashes(1011, after: 1)), .server(.crashes(1012, after: 1)),
                .server(.crashes(1013, after: 1)),
            ] + Happening.Route.allCases.map { .path($0) } + Happening.LateFact.allCases.map { .late($0) }
        for kind in kinds { #expect(report.happenings[kind.kind, default: 0] >= 10, "\(kind.kind)") }
        #expect(report.happenings.count == kinds.count)
        // Servers see only codes that say why: ours, and the one the app asks for now and then.
        #expect(Set(report.closes.keys) == [1000, 1001, 4000])
        #expect([1000, 1001].allSatisfy { report.closes[$0, default: 0] > 500 })
        #expect(report.attempts > 3 * report.worlds && report.steps > 100 * report.worlds)
    }

    /// What is drawn is drawn from the whole of its range, evenly: in each tenth a tenth.
    @Test func waitsAreSpreadAsTheyMust() {
        let report = Check.run(seeds: 1..<2001, threads: 2)
        #expect(
            Set(report.draws.keys) == [
                "backoff, windows", "backoff, ±20 %", "network return", "5 to 30 s", "R + U(0, R)",
            ])
        for (law, tenths) in report.draws {
            let whole = Double(tenths.reduce(0, +))
            #expect(whole > 150, "\(law): \(tenths)")
            // Five standard deviations of a fair draw.
            let tolerance = 5 * (0.09 / whole).squareRoot()
            for tenth in tenths { #expect(abs(Double(tenth) / whole - 0.1) < tolerance, "\(law): \(tenths)") }
        }
    }

    @Test func theReportIsTheSameForAnyNumberOfThreads() {
        let one = Check.run(seeds: 1000..<1100, threads: 1)
        let three = Check.run(seeds: 1000..<1100, threads: 3)
        #expect(one.steps == three.steps && one.attempts == three.attempts && one.closes == three.closes)
        #expect(one.happenings == three.happenings)
    }

    @Test func aReplayTellsWhatHappens() throws {
        let script = try Happening.script("0 ask a; 20 background; 40 foreground; 41 ask b")
        // A seed whose app starts in the foreground, and whose system grants more than the grace.
        func follow() -> (lines: [String], violation: Violation?) {
            var lines: [String] = []
            let violation = Check.replay(seed: 3, script) { lines.append($0) }
            return (lines, violation)
        }
        let (trace, violation) = follow()
        #expect(violation == nil)
        let text = trace.joined(separator: "\n")
        for line in ["← open 1 for a", "← begin background time", "← close 1 with 1001", "← end background time"] {
            #expect(text.contains(line), "\(line)")
        }
        #expect(text.contains("for b") && text.contains("· the world turns good"))
        #expect(follow().lines == trace)
    }

    @Test func aFailureIsCutDownToWhatMatters() throws {
        let script = try Happening.script("0 ask a; 1 drop; 2 mute; 3 background; 4 send; 5 foreground; 6 tick; 7 drop")
        let rule = Violation(rule: .kept, detail: "d", at: 0)
        var tries = 0
        let failure = Check.failure(9, script, rule) { candidate in
            tries += 1
            let whats = candidate.map(\.what)
            // Another rule does not count, however short its script.
            if whats == [.tick] { return Violation(rule: .code, detail: "", at: 0) }
            return whats.contains(.mute) && whats.contains(.foreground) ? rule : nil
        }
        #expect(failure.script.map(\.what) == [.mute, .foreground])
        #expect(failure.foundAmong == 8 && tries < 60)
        #expect(
            failure.description
                == """
                seed 9: the same channel keeps its socket: d, at 0 s (2 of 8 happenings do it)
                  replay: steady fleet check --seed 9 --replay '2 mute; 5 foreground'
                """)
    }
}
