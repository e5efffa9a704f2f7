import ConnectionCore
import Foundation
import SteadyTransport
import Testing

@testable import steady

@Suite struct ConnectArgumentsTests {
    private func settings(_ arguments: String...) throws -> ConnectSettings { try settings(arguments) }

    private func settings(_ arguments: [String]) throws -> ConnectSettings {
        let parsed = try #require(try ConnectArguments.spec.parse(arguments))
        return try ConnectArguments.settings(parsed)
    }

    @Test func withoutOptionsEverythingIsTheLibrarysDefault() throws {
        let settings = try settings("wss://example.com/a?token=x")
        #expect(settings.request.url.absoluteString == "wss://example.com/a?token=x")
        #expect(settings.request.headers.isEmpty && settings.request.subprotocols.isEmpty)
        var expected = Configuration.standard
        expected.askQuietWindow = .zero
        #expect(settings.configuration == expected)
        #expect(!settings.json && !settings.decisions && !settings.once && !settings.keepOpen)
        #expect(settings.identity == "" && settings.linger == .zero && settings.sendTimeout == .seconds(120))
    }

    @Test func everyOptionGetsWhereItBelongs() throws {
        let settings = try settings(
            "-H", "Authorization: Bearer a:b", "--header=X-App:\t steady \t", "-s", "v2", "--subprotocol", "v1",
            "--identity", "me", "--config", "storm-safe", "--max-message", "10", "--ping-interval", "5s", "--grace",
            "250ms", "--linger", "1.5", "--send-timeout", "2m", "--once", "--json", "--decisions", "--no-compress",
            "--proxy", "", "ws://localhost")
        #expect(
            settings.request.headers == [HeaderField("Authorization", "Bearer a:b"), HeaderField("X-App", "steady")])
        #expect(settings.request.subprotocols == ["v2", "v1"])
        #expect(settings.identity == "me")
        var expected = Configuration.stormSafe
        expected.askQuietWindow = .zero
        expected.maximumMessageBytes = 10
        expected.keepalive.time = .seconds(5)
        expected.backgroundGrace = .milliseconds(250)
        expected.retryRules = settings.configuration.retryRules
        #expect(settings.configuration == expected)
        for reason in [
            .connectionLost, .closedByPeer(.goingAway), .closedByPeer(.normalClosure), .openingRefused(status: 503),
            .openingRefused(status: 401), .openingTimedOut, .keepaliveTimedOut, .probeUnanswered,
            .closedByPeer(CloseCode(rawValue: 4001)), .protocolViolation(.protocolError),
        ] as [DisconnectReason] {
            #expect(settings.configuration.retryRules.rule(for: reason).action == .hold, "\(reason)")
        }
        #expect(settings.linger == .milliseconds(1500) && settings.sendTimeout == .seconds(120))
        #expect(settings.once && settings.json && settings.decisions && !settings.keepOpen)
        #expect(try self.settings("--keep-open", "ws://localhost").keepOpen)
    }

    @Test func aHeaderWithoutValueIsAllowed() throws {
        #expect(try ConnectArguments.headers(["X-Empty:", "X-Blank: \t"]).map(\.value) == ["", ""])
    }

    /// Each command line, and what the error has to name. `hush` stands for the secret in each.
    @Test(
        arguments: [
            (["https://example.com/?hush"], "https"),
            (["example.com/hush"], "ws:// or wss://"),
            (["ws://user:hush@example.com/"], "user info"),
            (["ws://example.com/#hush"], "fragment"),
            (["ws://example.com:70000/?hush"], "port"),
            (["ws://example.com/a b?hush"], "percent-encode"),
            (["ws:///path?hush"], "host"),
            ([], "URL is missing"),
            (["--header", "hush", "ws://localhost"], "--header number 1 has no colon"),
            (["--header", "X-A: ok", "--header", "Bearer hush: x", "ws://localhost"], "not a token"),
            (["--header", "X-Token: hush\r\nX-Other: y", "ws://localhost"], "X-Token holds a control character"),
            (["--header", "Sec-WebSocket-Key: hush", "ws://localhost"], "Sec-WebSocket-Key belongs to the opening"),
            (["--header", "Authorization:", "Bearer", "hush", "ws://localhost"], "put quotes around spaces"),
            (["--subprotocol", "a b", "ws://localhost/?hush"], "subprotocol number 1 is not a token"),
            (["-s", "a", "-s", "a", "ws://localhost/?hush"], "the subprotocol a stands twice"),
            (["--proxy", "ftp://user:hush@host", "ws://localhost"], "scheme of the proxy"),
            (["--ca-file", "/no/such/file", "ws://localhost/?hush"], "/no/such/file cannot be read"),
            (["--ca-file", "/dev/null", "ws://localhost/?hush"], "holds no certificate"),
            (["--config", "wild", "ws://localhost/?hush"], "standard, storm-safe"),
            (["--max-message", "0", "ws://localhost/?hush"], "--max-message"),
            (["--grace", "soon", "ws://localhost/?hush"], "--grace"),
            (["--keep-open", "--linger", "1", "ws://localhost/?hush"], "exclude each other"),
            (["--jsn", "ws://localhost/?hush"], "did you mean --json"),
        ] as [([String], String)])
    func whatIsWrongIsNamedAndNoSecretIs(_ arguments: [String], _ named: String) throws {
        let error = try #require(throws: UsageError.self) { try settings(arguments) }
        #expect(error.text.contains(named), "\(error.text)")
        #expect(!error.text.contains("hush"), "\(error.text)")
        #expect(error.command == "connect")
    }

    @Test func theHelpNamesEveryKeyOfTheJSONAndEveryExitCode() throws {
        let help = ConnectArguments.spec.helpText
        for word in ["retryAfter", "subprotocol", "SIGUSR1", "SIGHUP", "1001", "  64  ", "  69  ", "--decisions"] {
            #expect(help.contains(word), "\(word) is missing")
        }
        let parsed = try ConnectArguments.spec.parse(["--help"])
        #expect(parsed == nil)
        #expect(CommandTable.all.commands.map(\.spec.name).contains("connect"))
    }
}
