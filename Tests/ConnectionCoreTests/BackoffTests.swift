import ConnectionCore
import ConnectionModel
import Testing

@Suite struct BackoffTests {
    private static let settings: [(Setting, Backoff)] = [
        (.standard, Configuration.standard.backoff), (.stormSafe, Configuration.stormSafe.backoff),
    ]

    @Test("backoff curve and bounds: the table of the design page") func table() throws {
        let rows = try DesignDocument().table("backoff")
        #expect(rows.count == 6)
        for row in rows {
            let failure = try #require(Int(row.cell("failure").prefix(1)))
            for (setting, backoff) in Self.settings {
                #expect(backoff.base(forFailure: failure).inTables == row["base"])
                let bounds = backoff.bounds(forFailure: failure)
                let range = Duration.nanoseconds(bounds.lowerBound)...(.nanoseconds(bounds.upperBound))
                #expect(range.inTables == row[setting.rawValue], "failure \(failure), \(setting)")
            }
        }
    }

    @Test(
        "backoff curve and bounds: 2, 4, 8, 16, 32, 60 and 60 for ever",
        arguments: [
            (1, 2), (2, 4), (3, 8), (4, 16), (5, 32), (6, 60), (7, 60), (100, 60), (.max, 60), (0, 2), (-1, 2),
            (.min, 2),
        ])
    func curve(failure: Int, seconds: Int) {
        #expect(Backoff().base(forFailure: failure) == .seconds(seconds))
    }

    @Test("backoff curve and bounds: every draw is inside, and draws reach both ends", arguments: 1...7)
    func jitter(failure: Int) {
        var generator = SeededGenerator(seed: UInt64(failure))
        for (setting, backoff) in Self.settings {
            let base = backoff.base(forFailure: failure).inSeconds
            let (low, high) = setting == .standard ? (base * 0.8, base * 1.2) : (0, min(base * 2, 60))
            var (shortest, longest, sum) = (Double.infinity, 0.0, 0.0)
            for _ in 0..<2000 {
                let delay = backoff.delay(forFailure: failure, using: &generator).inSeconds
                #expect(low <= delay && delay <= high, "\(delay) is outside \(low)...\(high)")
                (shortest, longest, sum) = (min(shortest, delay), max(longest, delay), sum + delay)
            }
            let width = high - low
            #expect(shortest < low + width * 0.02 && longest > high - width * 0.02)
            // Uniform: the mean of 2000 draws is within 5 standard errors of the middle.
            #expect(abs(sum / 2000 - (low + high) / 2) < width * 0.0323)
        }
    }

    @Test("backoff curve and bounds: the ends are drawn exactly", arguments: EndGenerator.allCases)
    func ends(generator: EndGenerator) {
        var generator = generator
        for failure in 1...7 {
            let bounds = Backoff().bounds(forFailure: failure)
            let delay = Backoff().delay(forFailure: failure, using: &generator)
            #expect(delay == .nanoseconds(generator == .shortest ? bounds.lowerBound : bounds.upperBound))
        }
    }

    private static let oddDurations: [Duration] = [
        .zero, .seconds(-5), .nanoseconds(1), .seconds(2), .seconds(Int64.max), .nanoseconds(Int64.max),
        .seconds(Int64.min),
    ]
    private static let oddNumbers = [
        Double.nan, .infinity, -.infinity, -1, 0, 0.5, 1, 1 + .ulpOfOne, 2, 1e300, .signalingNaN,
        .leastNonzeroMagnitude,
    ]

    @Test("backoff curve and bounds: odd values never trap", arguments: oddDurations, oddDurations)
    func oddValues(initial: Duration, maximum: Duration) {
        var generator = SeededGenerator(seed: 1)
        for number in Self.oddNumbers {
            for jitter in [Backoff.Jitter.proportional(number), .window] {
                for multiplier in Self.oddNumbers {
                    let backoff = Backoff(initial: initial, multiplier: multiplier, maximum: maximum, jitter: jitter)
                    for failure in [Int.min, -1, 0, 1, 2, 50, .max] {
                        let delay = backoff.delay(forFailure: failure, using: &generator)
                        #expect(delay >= .zero)
                        #expect(backoff.base(forFailure: failure) <= max(.zero, maximum))
                    }
                }
            }
        }
    }

    @Test("backoff curve and bounds: documented clamping") func clamping() {
        #expect(Backoff(multiplier: .nan).base(forFailure: 9) == .seconds(2))
        #expect(Backoff(multiplier: 0.1).base(forFailure: 9) == .seconds(2))
        #expect(Backoff(initial: .seconds(90)).base(forFailure: 1) == .seconds(60))
        #expect(Backoff(initial: .seconds(-1)).base(forFailure: 3) == .zero)
        #expect(Backoff(jitter: .proportional(.nan)).bounds(forFailure: 1) == 2_000_000_000...2_000_000_000)
        #expect(Backoff(jitter: .proportional(-1)).bounds(forFailure: 1) == 2_000_000_000...2_000_000_000)
        #expect(Backoff(jitter: .proportional(7)).bounds(forFailure: 1) == 0...4_000_000_000)
        #expect(Backoff(multiplier: 1 + .ulpOfOne).base(forFailure: .max) == .seconds(60))
    }
}

@Suite struct StartOverTests {
    struct Case: Sendable {
        var message: Bool
        var openFor: Duration?
        var reason: DisconnectReason
        var standard: Bool
        var stormSafe: Bool
    }

    private static let plain = DisconnectReason.connectionLost
    private static func closed(_ code: UInt16) -> DisconnectReason { .closedByPeer(CloseCode(rawValue: code)) }

    static let cases: [Case] = [
        Case(message: false, openFor: nil, reason: plain, standard: false, stormSafe: false),
        Case(message: false, openFor: .zero, reason: plain, standard: false, stormSafe: false),
        Case(message: true, openFor: .seconds(1), reason: plain, standard: true, stormSafe: false),
        Case(message: false, openFor: .seconds(30) - .nanoseconds(1), reason: plain, standard: false, stormSafe: false),
        Case(message: false, openFor: .seconds(30), reason: plain, standard: true, stormSafe: true),
        Case(message: true, openFor: .seconds(31), reason: closed(1000), standard: true, stormSafe: true),
        // A refusal in the same attempt earns nothing, whatever came before it.
        Case(message: true, openFor: .seconds(90), reason: closed(1008), standard: false, stormSafe: false),
        Case(message: true, openFor: .seconds(90), reason: closed(1013), standard: false, stormSafe: false),
        Case(message: true, openFor: .seconds(90), reason: closed(1002), standard: false, stormSafe: false),
        Case(message: true, openFor: .seconds(90), reason: closed(1009), standard: false, stormSafe: false),
        Case(message: false, openFor: nil, reason: .openingRefused(status: 503), standard: false, stormSafe: false),
        Case(
            message: true, openFor: .seconds(90), reason: .protocolViolation(.protocolError), standard: false,
            stormSafe: false),
        // Private codes: the message alone is not enough.
        Case(message: true, openFor: .seconds(1), reason: closed(4001), standard: false, stormSafe: false),
        Case(message: true, openFor: .seconds(30), reason: closed(4001), standard: true, stormSafe: true),
        Case(message: true, openFor: .seconds(1), reason: closed(1012), standard: true, stormSafe: false),
    ]

    @Test("backoff starts over after a message or 30 seconds open", arguments: cases)
    func policy(row: Case) {
        for (configuration, expected) in [(Configuration.standard, row.standard), (.stormSafe, row.stormSafe)] {
            let startsOver = ConnectionPolicy.backoffStartsOver(
                messageArrived: row.message, openFor: row.openFor, after: row.reason, configuration: configuration)
            #expect(startsOver == expected)
        }
    }

    @Test("backoff starts over after a message or 30 seconds open: nothing does without a rule")
    func never() {
        var configuration = Configuration()
        configuration.startOver.afterMessage = false
        configuration.startOver.afterOpenFor = nil
        #expect(
            !ConnectionPolicy.backoffStartsOver(
                messageArrived: true, openFor: .seconds(9999), after: .connectionLost, configuration: configuration))
    }

    /// Failure 1, 2, 3, then a socket that lives as said; the failure number of its end tells.
    @Test(
        "backoff starts over after a message or 30 seconds open: on the machine",
        arguments: [
            ("", "1006", 4), ("message; ", "1006", 1), ("wait 29.9; ", "1006", 4), ("wait 30; ", "1006", 1),
            ("message; ", "1013", 4), ("message; wait 35; ", "1013", 4), ("message; ", "4001", 4),
            ("wait 30; ", "4001", 1), ("message; wait 35; ", "1002", 4), ("frame; ", "1006", 4),
        ])
    func machine(life: String, ending: String, failure: Int) throws {
        var scene = try Scene(.standard)
        try scene.play("ask a; wake; ended dns; wake; ended dns; wake; ended dns; wake; opened; \(life)ended \(ending)")
        guard case .waiting(.backoff(let number, _), _, _) = scene.status else {
            Issue.record("\(scene.status)")
            return
        }
        #expect(number == failure)
    }

    @Test(
        "backoff starts over when the network comes back, but not the storm-safe one",
        arguments: [
            (Setting.standard, 1), (.stormSafe, 3),
        ])
    func networkReturn(setting: Setting, failure: Int) throws {
        var scene = try Scene(setting, draws: .longest)
        try scene.play("path wifi; ask a; wake; ended dns; wake; ended dns; path offline; path wifi; wake; ended dns")
        guard case .waiting(.backoff(let number, _), _, _) = scene.status else {
            Issue.record("\(scene.status)")
            return
        }
        #expect(number == failure)
    }
}
