import ConnectionCore
import Testing

/// What people read in status, logs and Close frames.
@Suite struct DescriptionTests {
    private static let attempt = AttemptID(3)
    private static let overloaded = DisconnectReason.closedByPeer(.tryAgainLater)

    private static func waiting(_ reason: WaitReason, _ milliseconds: Int) -> ConnectionStatus {
        .waiting(reason, delay: .milliseconds(milliseconds), until: .zero)
    }

    static let statuses: [(ConnectionStatus, String)] = [
        (.idle, "idle"),
        (waiting(.server(overloaded), 12_400), "waiting 12.4 s: server said 1013"),
        (waiting(.server(.openingRefused(status: 503)), 60_000), "waiting 60.0 s: server said HTTP 503"),
        (waiting(.server(.connectionLost), 1000), "waiting 1.0 s: server said connection lost (1006)"),
        (waiting(.backoff(failure: 2, .openingFailed(.tls)), 3949), "waiting 3.9 s: opening failed: TLS, failure 2"),
        (
            waiting(.refresh(.openingRefused(status: 401)), 1999),
            "waiting 2.0 s: asking for fresh credentials after HTTP 401"
        ),
        (waiting(.quietWindow, 1500), "waiting 1.5 s: quiet window after the ask"),
        (waiting(.foreground, 250), "waiting 0.3 s: app came to the foreground"),
        (waiting(.networkReturn, 0), "waiting 0.0 s: network came back"),
        (waiting(.replacement, -5), "waiting 0.0 s: replacing the socket"),
        (waiting(.budget, 9_999), "waiting 10.0 s: connect budget used up"),
        (
            .waiting(.budget, delay: .nanoseconds(Int64.max), until: .zero),
            "waiting 9223372036.9 s: connect budget used up"
        ),
        (.opening(attempt), "opening #3"),
        (.open(attempt), "open #3"),
        (.closing(attempt, .stayedInBackground), "closing #3: background"),
        (.held(.background), "held: background"),
        (.held(.offline), "held: offline"),
        (.held(.refused(.openingRefused(status: 403))), "stopped: HTTP 403"),
        (.held(.refused(.closedByPeer(.policyViolation))), "stopped: peer closed with 1008"),
    ]

    @Test("descriptions: status", arguments: statuses)
    func status(status: ConnectionStatus, text: String) {
        #expect(status.description == text)
    }

    static let reasons: [(DisconnectReason, String)] = [
        (.closedByPeer(.noStatusReceived), "peer closed with 1005"),
        (.connectionLost, "connection lost (1006)"),
        (.openingRefused(status: 429), "HTTP 429"),
        (.openingTimedOut, "opening handshake timed out"),
        (.openingFailed(.nameResolution), "opening failed: host name not resolved"),
        (.openingFailed(.connect), "opening failed: no connection"),
        (.openingFailed(.proxy), "opening failed: proxy"),
        (.openingFailed(.invalidResponse), "opening failed: invalid response"),
        (.openingFailed(.connectionLost), "opening failed: connection lost"),
        (.keepaliveTimedOut, "ping unanswered"),
        (.probeUnanswered, "probe unanswered"),
        (.protocolViolation(.invalidPayloadData), "peer broke the protocol (1007)"),
        (.requestUnavailable, "request provider failed"),
        (.closedLocally(.exiting), "closed here: exiting"),
    ]

    @Test("descriptions: reasons", arguments: reasons)
    func reason(reason: DisconnectReason, text: String) {
        #expect(reason.description == text)
    }

    @Test("descriptions: a cause fits into a Close frame (RFC 6455 section 5.5)", arguments: LocalCloseCause.allCases)
    func cause(cause: LocalCloseCause) {
        #expect((1...123).contains(cause.description.utf8.count))
    }

    @Test("attempts are ordered by number") func order() {
        #expect(AttemptID(1) < AttemptID(2))
        #expect(!(AttemptID(2) < AttemptID(2)))
        #expect("\(HoldReason.refused(.connectionLost))" == "refused, connection lost (1006)")
    }
}
