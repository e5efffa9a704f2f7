import Testing

@testable import FleetSimulator
@testable import steady

@Suite struct ReportTests {
    private var report: StormReport {
        var storm = Storm(acceptRate: 10)
        storm.clients = 200
        return StormReport(storm: storm, outcome: storm.run(), lone: StormCommand.lone(storm))
    }

    @Test func numbersArePlain() {
        #expect(JSONText.decimal(1234.5, 3) == "1234.5")
        #expect(JSONText.decimal(0.0625, 3) == "0.063")
        #expect(JSONText.decimal(-0.0001, 3) == "0")
        #expect(JSONText.decimal(2, 0) == "2")
        #expect(JSONText.decimal(.infinity, 3) == nil)
        #expect(
            JSONText.write(.object([("b", .text("a\"\n")), ("a", .number(nil))])) == #"{"b":"a\"\u000a","a":null}"#)
        #expect(grouped(1_234_567) == "1,234,567" && grouped(12) == "12" && grouped(-1000) == "-1,000")
    }

    @Test func theJSONHasWhatItPromises() {
        let text = JSONText.write(report.json)
        for key in [
            "attemptsPerClient", "peakPerSecond", "peakPer100ms", "t50", "t95", "t99", "optimumT99", "events",
            "seconds",
        ] { #expect(text.contains("\"\(key)\":")) }
        #expect(!text.contains("\n"))
    }

    @Test func theCurveEndsWithEveryone() throws {
        let report = report
        let rows = StormReport.csv([report])
        #expect(rows.first == ["policy", "second", "attempts", "recovered"])
        #expect(rows.last?.last == String(report.storm.clients))
        let attempts = rows.dropFirst().compactMap { Int($0[2]) }.reduce(0, +)
        #expect(attempts == report.outcome.attempts.total)
    }

    @Test func thePlotScriptQuotesNames() throws {
        let file = try #require(PlotFile("it's.svg"))
        let script = Gnuplot.script(StormReport.panels([report]), to: file)
        #expect(script.contains("set output 'it''s.svg'") && script.contains("title 'standard'"))
        #expect(PlotFile("x.pdf") == nil && PlotFile(".svg") == nil && PlotFile("a.PNG")?.format == .png)
    }

    @Test func tablesAreAligned() {
        #expect(FleetOutput.table([["a", "1"], ["bcd", "22"]]) == "a     1\nbcd  22")
    }
}
