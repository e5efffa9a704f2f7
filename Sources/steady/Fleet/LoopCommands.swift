internal import ConnectionCore
internal import FleetSimulator

/// `steady fleet flap` and `steady fleet crashloop`: what a policy does where nothing gets better for an hour.
enum LoopCommands {
    static let clients = Option("clients", "N", "Clients. Default 10000.", .integer(1...20_000_000))
    static let every = Option(
        "every", "T", "Mean time from one loss of the network to the next. Default 5 s.", .time(0.1...3600))
    static let offline = Option(
        "offline", "T", "How long the network stays away. Default 1 s, or half of --every if that is less.",
        .time(0.01...3600))
    static let after = Option("after", "T", "From the hello to the close. Default 1 s.", .time(0...3600))

    private static let json = """
        --json prints `attemptsPerClientHour`, `connectsPerClientHour`, `peakPerSecond`, `events` and
        `seconds`, the simulated time.
        """

    static let flap = Command(
        spec: CommandSpec(
            name: "fleet flap", summary: "Simulate an hour of a flapping network with the service down.",
            details: """
                The network of each client goes and comes back over and over, and every attempt is refused with 503.

                \(json)
                """,
            options: [clients.once, every.once, offline.once] + FleetArguments.run
                + FleetArguments.network, exitCodes: [.success, .failure, .cannotCreate, .ioError]),
        run: { arguments throws(UsageError) in
            let period = arguments.value(every)?.inSeconds ?? 5
            let away = arguments.value(offline)?.inSeconds ?? min(1, period / 2)
            guard away < period else {
                throw UsageError("--offline must be shorter than --every", command: "fleet flap")
            }
            return try run(.flap(every: period, offline: away), arguments, "fleet flap")
        })

    static let crashLoop = Command(
        spec: CommandSpec(
            name: "fleet crashloop", summary: "Simulate an hour of a service that closes after its hello.",
            details: """
                Every attempt is accepted and greeted with a message; then the server closes with 1011.

                \(json)
                """,
            options: [clients.once, after.once] + FleetArguments.run
                + FleetArguments.network, exitCodes: [.success, .failure, .cannotCreate, .ioError]),
        run: { arguments throws(UsageError) in
            try run(.crash(after: arguments.value(after)?.inSeconds ?? 1), arguments, "fleet crashloop")
        })

    private static func run(
        _ kind: Loop.Kind, _ arguments: ParsedArguments, _ command: String
    ) throws(UsageError) -> ExitCode {
        let policies = try FleetArguments.policies(arguments, among: Day.policies, command: command)
        return FleetRun.run(arguments, policies) { policy in
            var loop = Loop(kind)
            loop.policy = policy
            loop.clients = arguments.value(clients) ?? 10_000
            loop.network = FleetArguments.network(arguments)
            loop.seed = FleetArguments.seed(arguments)
            loop.threads = FleetArguments.threads(arguments)
            return LoopReport(loop: loop, outcome: FleetRun.watched(policy) { loop.run(progress: $0) })
        }
    }
}
