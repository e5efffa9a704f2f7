import Testing
import WorldCheck

@testable import steady

@Suite struct CheckCommandTests {
    private func run(_ arguments: String...) async throws -> ExitCode {
        let parsed = try #require(try CheckCommand.command.spec.parse(arguments))
        return try await CheckCommand.command.run(parsed)
    }

    @Test(arguments: [
        (["--replay", "0 ask a"], "--replay needs the --seed of its world"),
        (["--seed", "1"], "--seed goes with --replay; use --first-seed and --seeds"),
        (["--seed", "1", "--replay", "0 fly"], "--replay: 'fly' is nothing that can happen"),
    ])
    func wrongLinesAreExplained(line: [String], message: String) async throws {
        let parsed = try #require(try CheckCommand.command.spec.parse(line))
        let error = await #expect(throws: UsageError.self) { try await CheckCommand.command.run(parsed) }
        #expect(error?.message == message)
    }

    @Test func whatBreaksNoRuleSucceeds() async throws {
        #expect(try await run("--seeds", "30", "--threads", "2") == .success)
        #expect(try await run("--seeds", "3", "--json") == .success)
        #expect(try await run("--seed", "3", "--replay", "0 ask a; 9 drop") == .success)
        // What only the end of every world shows has an empty script.
        #expect(try await run("--seed", "3", "--replay", "") == .success)
    }

    @Test func theReportSaysWhatWasTried() {
        let report = Check.run(seeds: 1..<21, threads: 1)
        let text = CheckCommand.text(report)
        #expect(text.contains("20 worlds") && text.hasSuffix("no rule broken") && text.contains("× 1001"))
        let json = JSONText.write(CheckCommand.json(report))
        for key in ["worlds", "steps", "attempts", "seconds", "happenings", "closeCodes", "failures"] {
            #expect(json.contains("\"\(key)\":"))
        }
    }
}
