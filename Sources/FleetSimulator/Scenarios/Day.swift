internal import ConnectionCore

/// A day of many users, each with an app that is visited now and then, and a server that accepts everyone.
package struct Day: Scenario, Sendable {
    package var users = 100_000
    package var policy = Policy.standard
    package var usage = UsageLaw()
    package var network = NetworkLaw()
    package var seed: UInt64 = 1
    package var threads = 1

    /// The policies that make sense for a day; the others differ from these only in a storm.
    package static let policies: [Policy] = [
        .standard, .stormSafe, .old, .stream, .socketIO, .phoenix, .gRPC, .ably, .supabase,
    ]

    package init() {}

    /// What the server saw, per foreground segment.
    package struct Outcome: Sendable {
        package var segments: Int
        package var connects: Int
        /// Shares of the sockets that ended.
        package var closeCodeShares: [(code: UInt16, share: Double)]
        package var under30sShare: Double
        package var unservedSegmentShare: Double
        package var backgroundSecondsPerUser: Double
        /// Mean time from the start of a segment without a socket to the open one, in seconds.
        package var secondsUntilOpen: Double?
        package var attempts: Int
        package var events: Int
        package var queueEvents: Int
        package var bytesPerClient: Double

        package var socketsPerSegment: Double { Double(connects) / Double(max(1, segments)) }
        package var socketsPerUser = 0.0
    }

    /// Runs the day. `progress` hears the share that is over.
    package func run(progress: (Double) -> Void = { _ in }) -> Outcome { runPolicy(progress) }

    func run<A: Agent>(_: A.Type, _ progress: (Double) -> Void, rules: @escaping () -> A.Rules) -> Outcome {
        let fleet = Fleet<A, DayScript>(
            clients: users, script: DayScript(usage: usage, seed: seed), network: network, server: nil, seed: seed,
            threads: threads, rules: rules)
        fleet.run(until: DayScript.end) {
            progress(Double($0.now) / 86_400e9)
            return false
        }
        let totals = fleet.totals()
        let closes = totals.ledger.closes.reduce(0) { $0 + $1.value }
        let whole = Double(max(1, closes))
        return Outcome(
            segments: totals.figures.segments, connects: totals.ledger.connects,
            closeCodeShares: totals.ledger.closes.sorted { $0.key < $1.key }.map { ($0.key, Double($0.value) / whole) },
            under30sShare: Double(totals.ledger.under30s) / whole,
            unservedSegmentShare: Double(totals.figures.unserved) / Double(max(1, totals.figures.segments)),
            backgroundSecondsPerUser: Double(totals.figures.backgroundOpen) / 1e9 / Double(max(1, users)),
            secondsUntilOpen: totals.figures.opens > 0
                ? Double(totals.figures.untilOpen) / 1e9 / Double(totals.figures.opens) : nil,
            attempts: totals.attempts.total, events: totals.machineEvents, queueEvents: totals.queueEvents,
            bytesPerClient: Double(totals.bytes) / Double(max(1, users)),
            socketsPerUser: Double(totals.ledger.connects) / Double(max(1, users)))
    }
}
