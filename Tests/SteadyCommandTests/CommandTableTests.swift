import ConnectionCore
import LedgerServer
import Testing

@testable import steady

@Suite struct CommandTableTests {
    private func fault(_ line: [String]) -> String? {
        do throws(UsageError) {
            _ = try CommandTable.all.parse(line)
            return nil
        } catch {
            return error.message
        }
    }

    private func printed(_ line: String...) throws -> String? {
        switch try CommandTable.all.parse(line) {
        case .print(let text): text
        case .run: nil
        }
    }

    @Test func everyCommandHasHelpWithItsExitCodes() throws {
        let overview = try #require(try printed("--help"))
        #expect(try printed("-h") == overview && printed("help") == overview)
        for command in CommandTable.all.commands {
            #expect(overview.contains("  \(command.spec.name)"))
            let help = try #require(try printed(command.spec.name, "--help"))
            #expect(try printed("help", command.spec.name) == help)
            #expect(help.contains("\nExit codes:\n  0   ") && help.contains("\n  64  "))
            for option in command.spec.allOptions { #expect(help.contains("--\(option.name)")) }
            #expect(help.split(separator: "\n").allSatisfy { $0.count <= 120 })
        }
    }

    @Test func everyOptionIsNamedOnce() {
        for command in CommandTable.all.commands {
            let names = command.spec.allOptions.map(\.name)
            let letters = command.spec.allOptions.compactMap(\.short)
            #expect(Set(names).count == names.count && Set(letters).count == letters.count)
        }
    }

    @Test func theVersionIsPrinted() throws { #expect(try printed("--version") == "steady 0.1.0") }

    @Test func wrongCommandsAreExplained() {
        #expect(fault([])?.hasPrefix("no command given; choose one of: ") == true)
        #expect(fault(["srve"]) == "unknown command 'srve'; did you mean serve?")
        #expect(fault(["elephant"])?.hasPrefix("unknown command 'elephant'; choose one of: ") == true)
        #expect(fault(["help", "srve"]) == "unknown command 'srve'; did you mean serve?")
        #expect(fault(["--port", "1"])?.hasPrefix("unknown option '--port'; the command comes first: ") == true)
        #expect(fault(["ws://h/?token=secret"])?.contains("secret") == false)
    }

    @Test func commandsOfAGroupHaveTwoWords() throws {
        #expect(fault(["fleet"])?.hasPrefix("fleet needs a command; choose one of: storm") == true)
        #expect(fault(["fleet", "strom"]) == "unknown command 'fleet strom'; did you mean fleet storm?")
        #expect(fault(["fleet", "zebra"])?.hasPrefix("unknown command 'fleet zebra'; choose one of: storm") == true)
        #expect(fault(["flet"]) == "unknown command 'flet'; did you mean fleet?")
        #expect(fault(["fleet", "storm", "extra"]) == "unexpected argument 'extra'; remove it")
        #expect(fault(["help", "fleet", "storm", "extra"]) == "unexpected argument 'extra'; remove it")
        let group = try #require(try printed("fleet", "--help"))
        #expect(try printed("help", "fleet") == group && group.contains("\n  fleet storm"))
        let storm = try #require(try printed("fleet", "storm", "--help"))
        #expect(try printed("help", "fleet", "storm") == storm && storm.contains("Usage: steady fleet storm [options]"))
    }

    @Test(arguments: [
        (["fleet", "storm", "--policy", "standad"], "--policy cannot be 'standad'; give one of: standard, storm-safe"),
        (
            ["fleet", "storm", "--plot", "x.pdf"],
            "--plot cannot be 'x.pdf'; give a file name that ends in .svg or .png"
        ),
        (
            ["fleet", "storm", "--retry-after", "soon"],
            "--retry-after cannot be 'soon'; give none, a number of seconds"
        ),
        (
            ["fleet", "storm", "--lost-by", "drain"],
            "--lost-by cannot be 'drain'; give drop, drain:SECONDS, path:SECONDS"
        ),
    ])
    func wrongFleetOptionsAreExplained(line: [String], message: String) {
        #expect(fault(line)?.hasPrefix(message) == true)
    }

    // MARK: serve

    private func behaviour(_ line: String...) throws -> Behaviour {
        try ServeArguments.behaviour(try #require(try ServeArguments.spec.parse(line)))
    }

    @Test func withoutFlagsTheServerBehaves() throws {
        #expect(try behaviour() == Behaviour())
        let options = ServeArguments.options(try #require(try ServeArguments.spec.parse([])))
        #expect(options.host == "127.0.0.1" && options.queryItems.isEmpty)
    }

    @Test func flagsBecomeMisbehaviour() throws {
        let refusing = try behaviour("--refuse", "429", "--retry-after", "7")
        #expect(refusing.refusal == Refusal(429, "", ["Retry-After: 7"]))
        let slow = try behaviour("--accept-rate", "2.5", "--accept-excess", "wait")
        #expect(slow.acceptRate == AcceptRate(perSecond: 2.5, excess: .wait))
        let strict = try behaviour("--accept-rate", "2", "--retry-after=1")
        #expect(strict.acceptRate?.excess == .refuse(Refusal(503, "", ["Retry-After: 1"])))
        let closing = try behaviour(
            "--close-after", "1.5s", "--close-after-messages", "3", "--close-code", "4001", "--close-reason", "x")
        let close = Fate.close(CloseCode(rawValue: 4001), reason: "x")
        #expect(closing.timedFates == [.init(after: .seconds(1.5), close)])
        #expect(closing.messageFate == .init(messages: 3, close))
        #expect(try behaviour("--close-after", "1").timedFates == [.init(after: .seconds(1), .close(.normalClosure))])
        #expect(
            try behaviour("--close-after=1", "--close-code=1005").timedFates
                == [.init(after: .seconds(1), .closeWithoutCode)])
        let rough = try behaviour("--drop-after", "2", "--silent-after", "1", "--hello", "hi", "--no-echo")
        #expect(rough.timedFates == [.init(after: .seconds(2), .drop), .init(after: .seconds(1), .silence)])
        #expect(rough.hello == "hi" && !rough.echoes)
    }

    @Test(arguments: [
        (["--close-code", "4000"], "--close-code needs --close-after or --close-after-messages"),
        (["--close-reason", "x"], "--close-reason needs --close-after or --close-after-messages"),
        (
            ["--close-after", "1", "--close-code", "1005", "--close-reason", "x"],
            "--close-reason needs a code; --close-code 1005 sends none"
        ),
        (["--accept-excess", "wait"], "--accept-excess needs --accept-rate"),
        (["--retry-after", "3"], "--retry-after needs --refuse, or --accept-rate that refuses"),
        (
            ["--retry-after", "3", "--accept-rate", "1", "--accept-excess", "wait"],
            "--retry-after needs --refuse, or --accept-rate that refuses"
        ),
    ])
    func flagsThatMakeNoSenseTogetherAreRefused(line: [String], message: String) throws {
        let parsed = try #require(try ServeArguments.spec.parse(line))
        #expect(throws: UsageError(message, command: "serve")) { try ServeArguments.behaviour(parsed) }
    }

    @Test(arguments: ["999", "1004", "1005x", "1006", "1015", "2999", "5000", "-1"])
    func codesThatCannotBeSentAreRefused(code: String) {
        #expect(fault(["serve", "--close-after", "1", "--close-code", code])?.contains("cannot be '\(code)'") == true)
    }

    @Test func aReasonHasToFit() {
        let long = String(repeating: "ü", count: 62)
        #expect(fault(["serve", "--close-after", "1", "--close-reason", long])?.contains("at most 123 bytes") == true)
    }
}
