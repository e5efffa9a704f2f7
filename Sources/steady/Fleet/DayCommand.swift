internal import ConnectionCore
internal import FleetSimulator

/// `steady fleet day`: a day of many users.
enum DayCommand {
    static let users = Option("users", "N", "Active users. Default 100000.", .integer(1...20_000_000))
    static let iOSShare = Option("ios-share", "P", "Share of iOS devices. Default 0.65.", .number(0...1))
    static let coldLaunch = Option(
        "cold-launch", "P", "Probability that a visit starts a new process. Default 1.", .number(0...1))
    static let changes = Option(
        "identity-changes", "P", "Probability that identify changes the identity. Default 0.05.", .number(0...1))
    static let noTrigger = Flag("one-identify", "Leave the second trigger of a segment out.")
    static let noBackgroundTime = Flag("no-background-time", "iOS grants no background time.")
    static let dropEvery = Option(
        "drop-every", "T", "Mean time between losses of an open socket. Default 30m.", .time(1...864_000))

    static let command = Command(
        spec: CommandSpec(
            name: "fleet day", summary: "Simulate a day of a fleet: what a server sees of short visits.",
            details: """
                Each user visits the app a few times; every segment in the foreground asks for the channel as it begins,
                at identify and at one more trigger. The system suspends the app in the background. The distributions
                and where they come from stand in docs/storms.md.

                --json prints `socketsPerSegment`; `under30sShare` and `closeCodeShares` of the sockets;
                `unservedSegmentShare`, the share of segments that never had a socket; `secondsUntilOpen`, from the
                start of a segment without a socket to an open one; and the counts they are made of. `attempts` counts those
                that another one overtook as well.
                """,
            options: [
                users.once, iOSShare.once, coldLaunch.once, changes.once, noTrigger.argument,
                noBackgroundTime.argument, dropEvery.once,
            ] + FleetArguments.run + FleetArguments.network,
            exitCodes: [.success, .failure, .cannotCreate, .ioError]),
        run: run)

    static func day(_ arguments: ParsedArguments, _ policy: Policy) -> Day {
        var day = Day()
        day.policy = policy
        day.users = arguments.value(users) ?? 100_000
        day.usage.iOSShare = arguments.value(iOSShare) ?? day.usage.iOSShare
        day.usage.coldLaunch = arguments.value(coldLaunch) ?? day.usage.coldLaunch
        day.usage.changes = arguments.value(changes) ?? day.usage.changes
        day.usage.dropEvery = arguments.value(dropEvery)?.inSeconds ?? day.usage.dropEvery
        day.usage.grantsBackgroundTime = !arguments.has(noBackgroundTime)
        if arguments.has(noTrigger) { day.usage.triggerMedian = 0 }
        day.network = FleetArguments.network(arguments)
        day.seed = FleetArguments.seed(arguments)
        day.threads = FleetArguments.threads(arguments)
        return day
    }

    @Sendable
    private static func run(_ arguments: ParsedArguments) async throws(UsageError) -> ExitCode {
        let policies = try FleetArguments.policies(arguments, among: Day.policies, command: "fleet day")
        return FleetRun.run(arguments, policies) { policy in
            let day = day(arguments, policy)
            return DayReport(day: day, outcome: FleetRun.watched(policy) { day.run(progress: $0) })
        }
    }
}
