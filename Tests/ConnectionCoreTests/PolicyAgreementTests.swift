import ConnectionModel
import Testing

@testable import ConnectionCore

/// The machine looks up beforehand what the public rules look up each time; both must say the same.
@Suite struct PolicyAgreementTests {
    private static let configurations: [Configuration] = {
        var odd = Configuration.standard
        odd.foregroundDebounce = .seconds(-1)
        odd.backoff.initial = .seconds(-3)
        odd.startOver.afterOpenFor = nil
        odd.retryRules.otherwise = .init(.reconnect, ladder: .kept)
        odd.retryRules.statuses[503] = .init(.hold)
        odd.retryRules.closeCodes[.normalClosure] = .init(.wait(.seconds(3)...(.seconds(7))))
        var huge = Configuration.stormSafe
        huge.backoff = Backoff(initial: .seconds(1), multiplier: 1.01, maximum: .seconds(9_000_000_000))
        return [.standard, .stormSafe, odd, huge]
    }()

    private static let reasons: [DisconnectReason] = [
        .connectionLost, .openingFailed(.tls), .openingRefused(status: 401), .openingRefused(status: 503),
        .openingRefused(status: 418), .requestUnavailable, .protocolViolation(.protocolError),
        .closedByPeer(.normalClosure), .closedByPeer(.serviceRestart), .closedByPeer(.policyViolation),
        .closedByPeer(.tryAgainLater), .closedByPeer(CloseCode(rawValue: 4001)),
    ]

    @Test(arguments: configurations.indices, reasons)
    func theMachineWaitsAsThePolicySays(configuration index: Int, reason: DisconnectReason) throws {
        let configuration = Self.configurations[index]
        for retryAfter in [nil, Duration.zero, .seconds(7), .seconds(9000)] {
            var machine = ConnectionMachine(configuration: configuration)
            var draws = SeededGenerator(seed: 5)
            var now = Instant.zero
            _ = machine.handle(.ask(ChannelID(identity: "a")), at: now, using: &draws)
            // Beyond the failures that are looked up beforehand; the budget must not show.
            for failure in 1...20 {
                guard let due = machine.nextDeadline else { break }
                now = Instant(nanoseconds: max(due.nanoseconds, now.nanoseconds) + 100_000_000_000)
                let opens = machine.handle(.timeReached, at: now, using: &draws)
                let attempt = try #require(opens.open?.attempt)
                var expected = draws
                let refusals = machine.refusals
                _ = machine.handle(.ended(attempt, reason, retryAfter: retryAfter), at: now, using: &draws)
                let counted = configuration.retryRules.rule(for: reason).action == .reconnect ? 0 : failure
                let says = ConnectionPolicy.reconnect(
                    after: reason, retryAfter: retryAfter, failure: counted,
                    refusals: Int(refusals) + (configuration.retryRules.rule(for: reason).action == .refresh ? 1 : 0),
                    configuration: configuration, using: &expected)
                switch (says, machine.status) {
                case (.after(let delay, let why, _), .waiting(let shown, let wait, _)):
                    #expect(wait == delay && shown == why)
                case (.after(let delay, _, _), .opening):
                    #expect(delay == .zero)
                    return
                case (.hold, .held(.refused(reason))): return
                default: Issue.record("the policy says \(says), the machine is \(machine.status)")
                }
                #expect(draws.next() == expected.next())
            }
        }
    }
}
