import ConnectionCore
import Testing

@Suite struct ChannelIDTests {
    private static func id(
        _ scheme: String = "wss", _ host: String = "h.example", _ port: Int? = nil, _ path: String = "/p",
        _ query: String? = nil, identity: String = ""
    ) -> ChannelID {
        ChannelID(
            scheme: scheme, host: host, port: port, percentEncodedPath: path, percentEncodedQuery: query,
            identity: identity)
    }

    static let equalPairs: [(String, ChannelID, ChannelID)] = [
        ("scheme case", id("WSS"), id("wss")),
        ("host case", id("wss", "H.Example"), id("wss", "h.example")),
        ("default port of wss", id("wss", "h", 443), id("wss", "h")),
        ("default port of ws", id("ws", "h", 80), id("ws", "h")),
        ("IPv6 brackets", id("ws", "[2001:DB8::1]"), id("ws", "2001:db8::1")),
        ("empty path", id("ws", "h", nil, ""), id("ws", "h", nil, "/")),
        ("empty query", id("ws", "h", nil, "/", ""), id("ws", "h", nil, "/", nil)),
        ("query order", id("ws", "h", nil, "/", "a=1&b=2&a=3"), id("ws", "h", nil, "/", "a=3&a=1&b=2")),
        ("empty query items", id("ws", "h", nil, "/", "a=1&&b=2"), id("ws", "h", nil, "/", "b=2&a=1")),
        ("digit case", id("ws", "h", nil, "/%c3%a4", "q=%2f"), id("ws", "h", nil, "/%C3%A4", "q=%2F")),
        ("needless encoding", id("ws", "h", nil, "/%7Euser", "%61=1"), id("ws", "h", nil, "/~user", "a=1")),
        ("half an escape", id("ws", "h", nil, "/100%", "x=%4"), id("ws", "h", nil, "/100%", "x=%4")),
    ]

    @Test("channel: the same in other words", arguments: equalPairs)
    func same(name: String, left: ChannelID, right: ChannelID) {
        #expect(left == right, "\(name)")
        #expect(left.hashValue == right.hashValue, "\(name)")
        #expect(left.origin == right.origin, "\(name)")
    }

    static let unequalPairs: [(String, ChannelID, ChannelID)] = [
        ("scheme", id("ws", "h", 443), id("wss", "h", 443)),
        ("host", id("ws", "h"), id("ws", "i")),
        ("port", id("ws", "h", 8080), id("ws", "h")),
        ("path", id("ws", "h", nil, "/a"), id("ws", "h", nil, "/b")),
        ("path case", id("ws", "h", nil, "/a"), id("ws", "h", nil, "/A")),
        ("trailing slash", id("ws", "h", nil, "/a"), id("ws", "h", nil, "/a/")),
        ("reserved characters stay encoded", id("ws", "h", nil, "/a%2Fb"), id("ws", "h", nil, "/a/b")),
        ("query value", id("ws", "h", nil, "/", "a=1"), id("ws", "h", nil, "/", "a=2")),
        ("query count", id("ws", "h", nil, "/", "a=1&a=1"), id("ws", "h", nil, "/", "a=1")),
        ("encoded ampersand", id("ws", "h", nil, "/", "a=1%26b=2"), id("ws", "h", nil, "/", "a=1&b=2")),
        ("a + is no space", id("ws", "h", nil, "/", "a=x+y"), id("ws", "h", nil, "/", "a=x%20y")),
        ("half an escape", id("ws", "h", nil, "/%4"), id("ws", "h", nil, "/%41")),
        ("a sign is no hexadecimal digit", id("ws", "h", nil, "/%+4"), id("ws", "h", nil, "/%04")),
        ("identity", id(identity: "one"), id(identity: "two")),
        ("query or identity", id("ws", "h", nil, "/", "a#b"), id("ws", "h", nil, "/", "a", identity: "b")),
        ("path or query", id("ws", "h", nil, "/a?b"), id("ws", "h", nil, "/a", "b")),
    ]

    @Test("channel: different", arguments: unequalPairs)
    func different(name: String, left: ChannelID, right: ChannelID) {
        #expect(left != right, "\(name)")
    }

    @Test(
        "channel: origin",
        arguments: [
            ("WSS", "H.example", nil, "wss://h.example:443"), ("ws", "h", nil, "ws://h:80"),
            ("ws", "h", 8080, "ws://h:8080"), ("ws", "[::1]", 1, "ws://[::1]:1"),
            ("wss", "2001:DB8::1", nil, "wss://[2001:db8::1]:443"),
        ] as [(String, String, Int?, String)])
    func origin(scheme: String, host: String, port: Int?, origin: String) {
        #expect(Self.id(scheme, host, port).origin == origin)
    }

    @Test(
        "channel: loopback needs no network",
        arguments: [
            ("localhost", false), ("LOCALHOST", false), ("app.localhost", false), ("127.0.0.1", false),
            ("127.255.3.4", false),
            ("::1", false), ("[::1]", false), ("localhost.example", true), ("notlocalhost", true), ("128.0.0.1", true),
            ("127.0.0.1.example", true), ("127.0.0", true), ("127.0.0.256", true), ("::2", true), ("10.0.0.1", true),
            ("::ffff:127.0.0.1", true),
        ])
    func loopback(host: String, needsNetwork: Bool) {
        #expect(Self.id("ws", host).needsNetwork == needsNetwork)
    }

    @Test("channel: known by its identity alone") func identityAlone() {
        let channel = ChannelID(identity: "someone")
        #expect(channel == ChannelID(identity: "someone"))
        #expect(channel != ChannelID(identity: "somebody"))
        #expect(channel != Self.id("ws", "h", nil, "", nil, identity: "someone"))
        #expect(channel.needsNetwork)
        #expect(!"\(channel)".contains("someone"))
    }

    @Test("channel: no description shows path, query or identity") func secrets() {
        let channel = Self.id("wss", "h.example", nil, "/private", "token=secret", identity: "someone")
        #expect("\(channel)" == "wss://h.example:443")
        #expect(String(describing: channel) == "wss://h.example:443")
        #expect(String(reflecting: channel) == "wss://h.example:443")
        var dumped = ""
        dump(channel, to: &dumped)
        #expect(!dumped.contains("secret") && !dumped.contains("private") && !dumped.contains("someone"))
        // Inside of what the machine hands out, too.
        var machine = ConnectionMachine()
        var draws = SystemRandomNumberGenerator()
        _ = machine.handle(.ask(channel), at: .zero, using: &draws)
        for text in ["\(machine)", "\(machine.status)", "\(ConnectionEvent.ask(channel))"] {
            #expect(!text.contains("secret") && !text.contains("private") && !text.contains("someone"))
        }
    }
}

@Suite struct InstantTests {
    @Test("instants saturate instead of overflowing") func saturate() {
        let last = Instant(nanoseconds: .max)
        #expect(last + .seconds(1) == last)
        #expect(Instant(nanoseconds: .min) + .seconds(-1) == Instant(nanoseconds: .min))
        #expect(last - Instant(nanoseconds: .min) == .nanoseconds(Int64.max))
        #expect(Instant.zero + .seconds(Int64.max) == last)
        #expect(Instant.zero + .seconds(2) - .zero == .seconds(2))
    }

    @Test("deadlines: one without end is not the same as none") func endless() {
        var configuration = Configuration()
        configuration.askQuietWindow = .seconds(Int64.max)
        var machine = ConnectionMachine(configuration: configuration)
        var draws = SystemRandomNumberGenerator()
        let channel = ChannelID(scheme: "ws", host: "h", port: nil)
        #expect(machine.handle(.ask(channel), at: .zero, using: &draws).open == nil)
        #expect(machine.handle(.timeReached, at: .zero + .seconds(1_000_000_000), using: &draws) == .none)
        #expect(machine.nextDeadline == Instant(nanoseconds: .max - 1))
    }

    @Test(
        "machine: odd configurations never trap",
        arguments: [Duration.zero, .seconds(-5), .seconds(Int64.max), .nanoseconds(1)])
    func odd(duration: Duration) {
        var configuration = Configuration()
        configuration.askQuietWindow = duration
        configuration.askCeiling = duration
        configuration.foregroundDebounce = duration
        configuration.networkReturnDelay = duration...duration
        configuration.timeouts = Timeouts(openingHandshake: duration, closingHandshake: duration)
        configuration.keepalive = Keepalive(time: duration, timeout: duration, probeTimeout: duration)
        configuration.backgroundGrace = duration
        configuration.backoff = Backoff(initial: duration, multiplier: .infinity, maximum: duration)
        configuration.suspensionThreshold = duration
        for burst in [Int.min, 0, .max] {
            configuration.budget = ConnectBudget(burst: burst, interval: duration)
            var machine = ConnectionMachine(configuration: configuration)
            var draws = SystemRandomNumberGenerator()
            let channel = ChannelID(scheme: "ws", host: "h", port: nil)
            let events: [ConnectionEvent] = [
                .ask(channel), .timeReached, .opened(AttemptID(1)), .enteredBackground, .timeReached,
                .enteredForeground,
                .pathChanged(.offline), .pathChanged(.online(fingerprint: 1)), .timeReached,
                .ended(AttemptID(1), .openingRefused(status: 503), retryAfter: duration), .timeReached,
                .disconnect(.exiting),
            ]
            for time in [Int64.min, -1, 0, 1, .max - 1, .max] {
                for event in events { _ = machine.handle(event, at: Instant(nanoseconds: time), using: &draws) }
            }
            #expect(machine.asked == nil)
        }
    }
}
