import ConnectionCore
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
        let quoted = try #require(PlotFile("'x'.svg"))
        #expect(Gnuplot.script(StormReport.panels([report]), to: quoted).contains("set output '''x''.svg'"))
        #expect(PlotFile("x.pdf") == nil && PlotFile(".svg") == nil && PlotFile("a.PNG")?.format == .png)
    }

    private func fault(_ command: Command, _ line: String...) async throws -> String? {
        let parsed = try #require(try command.spec.parse(line))
        do {
            _ = try await command.run(parsed)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func policiesThatMakeNoSenseAreRefused() async throws {
        let deaf = try await fault(StormCommand.command, "--lost-by", "silent", "--policy", "old")
        #expect(deaf?.hasPrefix("--policy old sends no pings") == true)
        #expect(
            try await fault(StormCommand.command, "--policy", "old", "--policy", "old")
                == "--policy old is given twice; give it once")
        #expect(
            try await fault(DayCommand.command, "--policy", "slot")
                == "--policy slot is about storms; choose another one")
    }

    @Test func oneFileIsNotWrittenTwice() async throws {
        let command = StormCommand.command
        let line = ["--clients", "10", "--csv", "figures.svg", "--plot", "figures.svg"]
        #expect(try await command.run(try #require(try command.spec.parse(line))) == .cannotCreate)
    }

    @Test func aFileThatCannotBeMadeIsRefusedBeforeTheWork() async throws {
        #expect(!FleetOutput.canCreate(["/nonexistent/figures.csv"]) && !FleetOutput.canCreate(["/tmp"]))
        #expect(FleetOutput.canCreate([]) && FleetOutput.canCreate(["figures.csv"]))
        let line = ["--clients", "20000000", "--csv", "/nonexistent/figures.csv"]
        let parsed = try #require(try StormCommand.command.spec.parse(line))
        #expect(try await StormCommand.command.run(parsed) == .cannotCreate)
    }

    @Test func theSummarySaysHowTheSocketsWereLost() {
        var storm = Storm(acceptRate: 1.5)
        storm.clients = 1
        let losses: [(Storm.Loss, String)] = [
            (.connectionLost, "1 client, every socket lost at once; the server accepts 1.5 per second."),
            (.drained(.serviceRestart, over: 2), "1 client, every socket closed with 1012 within 2 s; the server"),
            (.pathReturn(after: 20, spread: 0.3), "1 client, no network for 20 s and a return spread by 0.3 s; the"),
            (.silence, "1 client, every socket silent from one moment on; the server"),
        ]
        for (loss, words) in losses {
            storm.loss = loss
            let report = StormReport(storm: storm, outcome: storm.run(), lone: StormCommand.lone(storm))
            #expect(report.text.hasPrefix(words))
        }
    }

    @Test func theLoneClientOfADrainDoesNotWaitForTheDrain() throws {
        var storm = Storm(acceptRate: nil)
        storm.clients = 200
        storm.loss = .drained(.serviceRestart, over: 1000)
        #expect(try #require(StormCommand.lone(storm).meanRecovery) < 30)
    }

    @Test func tablesAreAligned() {
        #expect(FleetOutput.table([["a", "1"], ["bcd", "22"]]) == "a     1\nbcd  22")
    }
}
