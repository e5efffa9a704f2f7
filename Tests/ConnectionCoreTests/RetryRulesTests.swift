import ConnectionCore
import ConnectionModel
import Testing

@Suite struct RetryRulesTests {
    /// The rows as a lookup: `close 1001`, `HTTP 401`, `anything else` …
    private static func documented() throws -> [String: RetryRules.Rule] {
        let actions: [String: RetryRules.Action] = [
            "backoff": .backoff, "wait 5–30 s": .wait(.seconds(5)...(.seconds(30))), "Retry-After": .retryAfter,
            "refresh": .refresh, "reconnect": .reconnect, "hold": .hold,
        ]
        let ladders: [String: RetryRules.Ladder] = [
            "message or uptime": .mayStartOver, "uptime": .mayStartOverAfterUptime, "never": .kept,
        ]
        var rules: [String: RetryRules.Rule] = [:]
        for row in try DesignDocument().table("retry") {
            let action = try #require(actions[row.cell("action")])
            let rule = RetryRules.Rule(action, ladder: try #require(ladders[row.cell("fresh start")]))
            let ending = try row.cell("ending")
            for prefix in ["close ", "HTTP "] where ending.hasPrefix(prefix) {
                for code in DesignDocument.list(String(ending.dropFirst(prefix.count))) { rules[prefix + code] = rule }
            }
            rules[ending] = rule
        }
        return rules
    }

    @Test("retry rules: the table of the design page, every code and status") func table() throws {
        let documented = try Self.documented()
        let rules = RetryRules()
        let otherwise = try #require(documented["anything else"])
        for code in 1000...4999 as ClosedRange<UInt16> {
            let range = (3000...4999).contains(code) ? documented["close 3000–4999"] : nil
            let expected = documented["close \(code)"] ?? range ?? otherwise
            #expect(rules.rule(for: .closedByPeer(CloseCode(rawValue: code))) == expected, "close \(code)")
        }
        for status in 100...599 {
            let expected = documented["HTTP \(status)"] ?? documented["HTTP any other"]
            #expect(rules.rule(for: .openingRefused(status: status)) == expected, "HTTP \(status)")
        }
        let violations = [CloseCode.protocolError, .invalidPayloadData, .messageTooBig]
        for code in violations {
            #expect(rules.rule(for: .protocolViolation(code)) == documented["protocol violation"])
        }
        #expect(rules.rule(for: .probeUnanswered) == documented["probe unanswered"])
        let failures: [OpeningFailure] = [.nameResolution, .connect, .tls, .proxy, .invalidResponse, .connectionLost]
        var others: [DisconnectReason] = [.connectionLost, .openingTimedOut, .keepaliveTimedOut, .requestUnavailable]
        others += failures.map { .openingFailed($0) }
        others += LocalCloseCause.allCases.map { .closedLocally($0) }
        for reason in others { #expect(rules.rule(for: reason) == otherwise, "\(reason)") }
    }

    private static func reconnect(
        _ reason: DisconnectReason, retryAfter: Duration? = nil, failure: Int = 1, refusals: Int = 1,
        _ configuration: Configuration = .standard, draws: EndGenerator = .shortest
    ) -> ConnectionPolicy.Reconnect {
        var draws = draws
        return ConnectionPolicy.reconnect(
            after: reason, retryAfter: retryAfter, failure: failure, refusals: refusals, configuration: configuration,
            using: &draws)
    }

    @Test(
        "retry rules: Retry-After R waits R + U(0, R), at most for R = 300 s, and never exactly R",
        arguments: [
            (1, 1), (60, 60), (300, 300), (301, 300), (86_400, 300), (.max, 300),
        ] as [(Int64, Int64)])
    func retryAfter(asked: Int64, obeyed: Int64) {
        for reason in [
            DisconnectReason.openingRefused(status: 503), .openingRefused(status: 429), .closedByPeer(.tryAgainLater),
        ] {
            let least = Self.reconnect(reason, retryAfter: .seconds(asked))
            #expect(least == .after(.seconds(obeyed) + .nanoseconds(1), .server(reason), refresh: false))
            let most = Self.reconnect(reason, retryAfter: .seconds(asked), draws: .longest)
            #expect(most == .after(.seconds(2 * obeyed), .server(reason), refresh: false))
        }
    }

    @Test("retry rules: without a usable Retry-After the backoff goes on", arguments: [nil, 0, -5] as [Int64?])
    func noRetryAfter(asked: Int64?) {
        let reason = DisconnectReason.openingRefused(status: 503)
        let next = Self.reconnect(reason, retryAfter: asked.map { .seconds($0) }, failure: 3)
        #expect(next == .after(.milliseconds(6400), .backoff(failure: 3, reason), refresh: false))
    }

    @Test("retry rules: the spread after 1001 and 1012", arguments: [CloseCode.goingAway, .serviceRestart])
    func spread(code: CloseCode) {
        let reason = DisconnectReason.closedByPeer(code)
        #expect(Self.reconnect(reason) == .after(.seconds(5), .server(reason), refresh: false))
        #expect(Self.reconnect(reason, draws: .longest) == .after(.seconds(30), .server(reason), refresh: false))
    }

    @Test("retry rules: one refresh, then hold") func refusals() {
        let reason = DisconnectReason.openingRefused(status: 401)
        #expect(Self.reconnect(reason) == .after(.milliseconds(1600), .refresh(reason), refresh: true))
        #expect(Self.reconnect(reason, refusals: 2) == .hold)
        #expect(Self.reconnect(reason, refusals: .max) == .hold)
    }

    @Test("retry rules: an unanswered probe reconnects after the debounce") func probe() {
        #expect(Self.reconnect(.probeUnanswered) == .after(.milliseconds(250), .replacement, refresh: false))
    }

    @Test("retry rules: an app's own rules count") func custom() {
        var configuration = Configuration()
        let code = CloseCode(rawValue: 4003)
        configuration.retryRules.closeCodes[code] = RetryRules.Rule(.hold, ladder: .kept)
        configuration.retryRules.statuses[404] = RetryRules.Rule(.hold)
        configuration.retryRules.privateCloseCodes = RetryRules.Rule(.wait(.seconds(-3)...(.seconds(-1))))
        configuration.retryRules.otherwise = RetryRules.Rule(.reconnect)
        #expect(Self.reconnect(.closedByPeer(code), configuration) == .hold)
        #expect(Self.reconnect(.openingRefused(status: 404), configuration) == .hold)
        let other = DisconnectReason.closedByPeer(CloseCode(rawValue: 4004))
        #expect(Self.reconnect(other, configuration) == .after(.zero, .server(other), refresh: false))
        #expect(
            Self.reconnect(.connectionLost, configuration) == .after(.milliseconds(250), .replacement, refresh: false))
    }

    @Test("retry rules: on the machine, a rule that holds is freed by an ask", arguments: [4003])
    func heldByRule(code: UInt16) {
        var configuration = Configuration()
        let reason = DisconnectReason.closedByPeer(CloseCode(rawValue: code))
        configuration.retryRules.closeCodes[CloseCode(rawValue: code)] = RetryRules.Rule(.hold)
        var machine = ConnectionMachine(configuration: configuration)
        var draws = EndGenerator.shortest
        let channel = Symbol.Place.a.channel
        func handle(_ event: ConnectionEvent, at seconds: Int64) -> Actions {
            machine.handle(event, at: Instant(nanoseconds: seconds * 1_000_000_000), using: &draws)
        }
        _ = handle(.ask(channel), at: 0)
        #expect(handle(.timeReached, at: 2).open?.attempt == AttemptID(1))
        _ = handle(.opened(AttemptID(1)), at: 3)
        _ = handle(.ended(AttemptID(1), reason, retryAfter: nil), at: 4)
        #expect(machine.status == .held(.refused(reason)))
        #expect(handle(.timeReached, at: 4000) == .none)
        _ = handle(.ask(channel), at: 5000)
        #expect(handle(.timeReached, at: 5002).open?.attempt == AttemptID(2))
    }
}
