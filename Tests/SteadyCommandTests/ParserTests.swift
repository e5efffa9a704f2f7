import Testing

@testable import steady

@Suite struct ParserTests {
    private enum Level: String, CaseIterable { case low, high }

    private static let port = Option("port", short: "p", "N", "A port.", .integer(1...99))
    private static let name = Option("name", "TEXT", "A name.", .nonEmptyText)
    private static let header = Option("header", short: "H", "FIELD", "A header.", .nonEmptyText.secret)
    private static let level = Option("level", "LEVEL", "How much.", ValueKind<Level>.choice)
    private static let wait = Option("wait", "T", "How long.", .time(0...60))
    private static let rate = Option("rate", "R", "How fast.", .number(-1.5...10))
    private static let loud = Flag("loud", short: "l", "More noise.")
    private static let url = Positional("URL", "where to go.", .nonEmptyText)
    private static let times = Positional("TIMES", "how often.", .integer(1...3))

    private static let spec = CommandSpec(
        name: "go", summary: "Go somewhere.", details: "Details.", positionals: [url.required, times.optional],
        options: [
            port.once, name.once, header.repeatable, level.once, wait.once, rate.once, loud.argument,
        ],
        exitCodes: [.success, .unavailable])

    private func parse(_ line: String...) throws -> ParsedArguments { try #require(try Self.spec.parse(line)) }

    private func fault(_ line: [String]) -> String? {
        do throws(UsageError) {
            _ = try Self.spec.parse(line)
            return nil
        } catch {
            return error.message
        }
    }

    // MARK: What is accepted

    @Test(arguments: [
        ["--port", "7", "u"], ["--port=7", "u"], ["-p", "7", "u"], ["-p7", "u"], ["u", "--port", "7"],
    ])
    func aValueMayBeWrittenInEveryUsualWay(line: [String]) throws {
        let parsed = try #require(try Self.spec.parse(line))
        #expect(parsed.value(Self.port) == 7)
        #expect(parsed.value(Self.url) == "u")
    }

    @Test func valuesAreTyped() throws {
        let parsed = try parse(
            "u", "2", "--level", "high", "--wait", "250ms", "--rate", "-1.5", "-l", "--name", "a=b", "-Ha: 1",
            "--header=b: 2")
        #expect(parsed.value(Self.level) == .high)
        #expect(parsed.value(Self.wait) == .milliseconds(250))
        #expect(parsed.value(Self.rate) == -1.5)
        #expect(parsed.value(Self.name) == "a=b")
        #expect(parsed.values(Self.header) == ["a: 1", "b: 2"])
        #expect(parsed.value(Self.times) == 2)
        #expect(parsed.has(Self.loud))
    }

    @Test func whatIsNotGivenIsNil() throws {
        let parsed = try parse("u")
        #expect(parsed.value(Self.port) == nil && parsed.value(Self.times) == nil)
        #expect(parsed.values(Self.header).isEmpty && !parsed.has(Self.loud))
    }

    @Test func everythingBehindTwoDashesIsPositional() throws {
        let parsed = try parse("-l", "--", "--port", "3")
        #expect(parsed.value(Self.url) == "--port" && parsed.value(Self.times) == 3)
        #expect(parsed.value(Self.port) == nil)
        #expect(try parse("--", "--").value(Self.url) == "--")
    }

    @Test func aSingleDashIsAnArgumentAndAnEmptyOneToo() throws {
        #expect(try parse("-").value(Self.url) == "-")
        #expect(fault([""]) == "URL cannot be ''; give text that is not empty")
    }

    @Test(arguments: [("10", 10.0), ("1.5s", 1.5), ("250ms", 0.25), ("1m", 60), ("0", 0), ("0.01h", 36)])
    func timesHaveUnits(text: String, seconds: Double) throws {
        #expect(try parse("u", "--wait", text).value(Self.wait) == .seconds(seconds))
    }

    @Test(arguments: ["", "s", "ms", "-1", "61", "2m", "nan", "inf", "1e1", "0x1", "1 s", "1d", "1..2", "٣"])
    func otherTimesAreRefused(text: String) {
        #expect(
            fault(["u", "--wait=" + text])
                == "--wait cannot be '\(text)'; give a time from 0 to 60 s, such as 10, 1.5s, 250ms or 2m")
    }

    @Test(arguments: [["--help"], ["-h"], ["u", "--port", "7", "--help"], ["--help", "--nonsense"]])
    func helpIsAskedForAnywhere(line: [String]) throws { #expect(try Self.spec.parse(line) == nil) }

    // MARK: What is refused

    @Test(arguments: [
        (["u", "--prot", "7"], "unknown option '--prot'; did you mean --port?"),
        (["u", "--lou"], "unknown option '--lou'; did you mean --loud?"),
        (["u", "--zzz"], "unknown option '--zzz'"),
        (["u", "--zzz=secret"], "unknown option '--zzz'"),
        (["u", "-x"], "unknown option -x; put -- before a value that starts with a dash"),
        (["u", "--port"], "--port needs a value: --port N"),
        (["u", "--port", "--loud"], "--port needs a value: --port N"),
        (["u", "-p"], "-p needs a value: -p N"),
        (["u", "--port", "0"], "--port cannot be '0'; give a whole number from 1 to 99"),
        (["u", "--port="], "--port cannot be ''; give a whole number from 1 to 99"),
        (["u", "-p", "seven"], "-p cannot be 'seven'; give a whole number from 1 to 99"),
        (
            ["u", "--port=99999999999999999999"],
            "--port cannot be '99999999999999999999'; give a whole number from 1 to 99"
        ),
        (["u", "--level", "mid"], "--level cannot be 'mid'; give one of: low, high"),
        (["u", "--rate", "nan"], "--rate cannot be 'nan'; give a number from -1.5 to 10"),
        (["u", "--loud=yes"], "--loud takes no value; leave it out"),
        (["u", "-lyes"], "-l takes no value; leave it out"),
        (["u", "--port", "1", "-p2"], "-p is given twice; give it once"),
        ([], "URL is missing: where to go."),
        (["u", "9"], "TIMES cannot be '9'; give a whole number from 1 to 3"),
        (["u", "1", "more", "still"], "unexpected argument 'more'; remove it"),
        // No secrets in errors: neither queries nor values of kinds that may hold some.
        (["u", "1", "ws://h/?token=secret"], "unexpected argument 'ws://h/…'; remove it"),
        (["u", "--header="], "--header cannot be what it is; give text that is not empty"),
    ])
    func aBadLineIsAnErrorThatSaysWhatToDo(line: [String], message: String) { #expect(fault(line) == message) }

    @Test func errorsPointToTheHelp() {
        #expect(UsageError("m", command: "go").text == "steady: m\nTry 'steady go --help'.")
        #expect(UsageError("m").text == "steady: m\nTry 'steady --help'.")
    }

    @Test func quotedTextIsShortAndPrintable() {
        #expect(quoted("a\u{1B}[31m") == "'a\u{FFFD}[31m'")
        #expect(quoted(String(repeating: "x", count: 61)) == "'\(String(repeating: "x", count: 60))…'")
    }

    // MARK: Help

    @Test func theHelpTellsEverything() {
        #expect(
            Self.spec.helpText == """
                Go somewhere.

                Usage: steady go [options] URL [TIMES]

                Details.

                Arguments:
                  URL    where to go.
                  TIMES  how often.

                Options:
                  -p, --port N        A port. (1 to 99)
                      --name TEXT     A name.
                  -H, --header FIELD  A header. May be repeated.
                      --level LEVEL   How much. (low or high)
                      --wait T        How long. (time: 10, 1.5s, 250ms, 2m)
                      --rate R        How fast. (-1.5 to 10)
                  -l, --loud          More noise.
                  -h, --help          Print this help and exit.

                Exit codes:
                  0   everything went as asked
                  64  the command line is wrong; nothing was done
                  69  an address or service that is needed is not available
                """)
    }

    // MARK: Nearest

    @Test(arguments: [("", "abc", 3), ("abc", "abc", 0), ("prot", "port", 1), ("kitten", "sitting", 3), ("a", "", 1)])
    func distancesAreExact(left: String, right: String, distance: Int) {
        #expect(editDistance(left, right) == distance)
        #expect(editDistance(right, left) == distance)
    }

    @Test func onlyACloseWordIsSuggested() {
        #expect(nearest(to: "close", among: ["drop", "close-after"]) == "close-after")
        #expect(nearest(to: "hoste", among: ["host", "port"]) == "host")
        #expect(nearest(to: "x", among: ["host", "port"]) == nil)
        #expect(nearest(to: "elephant", among: ["host", "port"]) == nil)
    }
}
