internal import FleetSimulator

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What the `fleet` commands have in common.
enum FleetArguments {
    static let policy = Option("policy", "NAME", "A reconnect policy. Default standard.", ValueKind<Policy>.choice)
    static let compare = Flag(
        "compare", "Run every policy and print one table; several --policy do the same for those.")
    static let seed = Option("seed", "N", "Where the random numbers begin. Default 1.", .integer(0...Int.max))
    static let threads = Option(
        "threads", "N", "Threads; the result is the same for any number. Default: one per processor.",
        .integer(1...256))
    static let json = Flag("json", "Print JSON instead of text: one object, or an array if there are several policies.")
    static let csv = Option(
        "csv", "FILE", "Write the results to FILE as CSV: of a storm a row per policy and second, else one per policy.",
        .nonEmptyText)
    static let plot = Option(
        "plot", "FILE", "Draw to FILE with gnuplot.",
        ValueKind<PlotFile>("a file name that ends in .svg or .png", hint: "FILE.svg or FILE.png", PlotFile.init))
    static let roundTrip = Option(
        "rtt-median", "MS", "Median of the round-trip time in ms, lognormal over clients. Default 80.",
        .number(20...1000))
    static let roundTripSigma = Option(
        "rtt-sigma", "S", "Standard deviation of its logarithm. Default 0.6.", .number(0...2))
    static let roundTripPerAttempt = Flag(
        "rtt-per-attempt", "Draw the round-trip time for each attempt, not once per client.")
    static let loss = Option(
        "packet-loss", "P", "Probability that a flight of the handshake is lost and sent again. Default 0.",
        .number(0...0.9))

    /// The options that say which policies run on which seed, and how the results come out.
    static let run = [
        policy.repeatable, compare.argument, seed.once, threads.once, json.argument, csv.once, plot.once,
    ]
    static let network = [roundTrip.once, roundTripSigma.once, roundTripPerAttempt.argument, loss.once]

    /// The policies to run.
    static func policies(
        _ arguments: ParsedArguments, among all: [Policy], command: String
    ) throws(UsageError) -> [Policy] {
        let named = arguments.values(policy)
        if let stranger = named.first(where: { !all.contains($0) }) {
            throw UsageError("--policy \(stranger.rawValue) is about storms; choose another one", command: command)
        }
        if let twice = named.first(where: { name in named.count { $0 == name } > 1 }) {
            throw UsageError("--policy \(twice.rawValue) is given twice; give it once", command: command)
        }
        guard arguments.has(compare) else { return named.isEmpty ? [.standard] : named }
        guard named.isEmpty else {
            throw UsageError("--compare runs every policy; leave --policy out", command: command)
        }
        return all
    }

    static func seed(_ arguments: ParsedArguments) -> UInt64 { UInt64(arguments.value(seed) ?? 1) }

    static func threads(_ arguments: ParsedArguments) -> Int {
        arguments.value(threads) ?? ProcessInfo.processInfo.activeProcessorCount
    }

    static func network(_ arguments: ParsedArguments) -> NetworkLaw {
        var network = NetworkLaw()
        if let median = arguments.value(roundTrip) { network.roundTripMedian = median }
        if let sigma = arguments.value(roundTripSigma) { network.roundTripSigma = sigma }
        network.drawsPerAttempt = arguments.has(roundTripPerAttempt)
        if let loss = arguments.value(loss) { network.loss = loss }
        return network
    }
}
