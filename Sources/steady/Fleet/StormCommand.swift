internal import ConnectionCore
internal import FleetSimulator

/// `steady fleet storm`: a fleet loses its sockets together.
enum StormCommand {
    static let clients = Option("clients", "N", "Clients. Default 1000000.", .integer(1...20_000_000))
    static let acceptRate = Option(
        "accept-rate", "C", "Connections the server accepts per second. Default 10000.", .number(1...100_000_000))
    static let down = Option(
        "down", "D", "How long the service is down from the loss on. Default 0.", .time(0...3600))
    static let outage = Option(
        "outage", "WHAT", "What the service does with attempts while it is down. Default refuse.",
        ValueKind<AcceptServer.Outage>.choice)
    static let refusalCost = Option(
        "refusal-cost", "X", "What a refusal costs the server, in accepts. Default 0.", .number(0...1))
    static let refill = Option(
        "refill", "HOW", "Whether the server's tokens come every 50 ms or one by one. Default steps.",
        ValueKind<AcceptServer.Refill>.choice)
    static let retryAfter = Option(
        "retry-after", "FORM", "Retry-After of refusals above the accept rate. Default none.", retryAfterForm)
    static let lostBy = Option(
        "lost-by", "HOW",
        """
        drop: all connections end at once; drain:T: the server closes them with 1012, spread over T seconds; path:S: \
        all phones lose their network for 20 s and regain it spread by S seconds; silent: no packet tells, and each \
        client finds out by its keepalive. Default drop.
        """, lossForm)

    static let command = Command(
        spec: CommandSpec(
            name: "fleet storm", summary: "Simulate a fleet that loses all sockets at once.",
            details: """
                Runs the shipping machine, or a model of what another library publishes, once per client in virtual
                time against a server that accepts C connections per second and refuses the rest. The same seed gives
                the same output, whatever the number of threads.

                --json prints `attemptsPerClient`; `peakPerSecond` and `peakPer100ms`, the most attempts that arrived
                within such a span; `t50`, `t95` and `t99`, seconds from the end of the outage until that share of
                the clients had a socket, null if not within an hour; `optimumT99`, the same for a server that never idles;
                `recoveredShare`, the share that had one in the end; `loneMean` and `loneP95`, the wait of a single
                client with a free server, from the end of the outage; `events`, calls of the machine, `queueEvents`,
                those of the simulator's queue, and `seconds`, the simulated time. What it cost in real time goes to
                standard error.

                Policies:
                \(helpTable(Policy.allCases.map { ($0.rawValue, $0.source) }))
                """,
            options: [
                clients.once, acceptRate.once, down.once, outage.once, refusalCost.once, refill.once, retryAfter.once,
                lostBy.once,
            ] + FleetArguments.run + FleetArguments.network,
            exitCodes: [.success, .failure, .cannotCreate, .ioError]),
        run: run)

    private static let retryAfterForm = ValueKind<AcceptServer.RetryAfter>(
        "none, a number of seconds from 1 to 3600, window:SECONDS or slot", hint: "none, SECONDS, window:SECONDS, slot"
    ) { text in
        if text == "none" { return AcceptServer.RetryAfter.none }
        if text == "slot" { return .slot }
        let isWindow = text.hasPrefix("window:")
        guard let seconds = Int(isWindow ? String(text.dropFirst(7)) : text), (1...3600).contains(seconds) else {
            return nil
        }
        return isWindow ? .window(seconds) : .fixed(seconds)
    }

    private static let lossForm = ValueKind<Storm.Loss>(
        "drop, drain:SECONDS, path:SECONDS or silent", hint: "drop, drain:SECONDS, path:SECONDS, silent"
    ) { text in
        if text == "drop" { return .connectionLost }
        if text == "silent" { return .silence }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let seconds = Double(parts[1]), (0...86_400).contains(seconds) else { return nil }
        switch parts[0] {
        case "drain": return .drained(.serviceRestart, over: seconds)
        case "path": return .pathReturn(after: 20, spread: seconds)
        default: return nil
        }
    }

    static func storm(_ arguments: ParsedArguments, _ policy: Policy) -> Storm {
        var storm = Storm(acceptRate: arguments.value(acceptRate) ?? 10_000)
        storm.policy = policy
        storm.clients = arguments.value(clients) ?? 1_000_000
        storm.down = arguments.value(down)?.inSeconds ?? 0
        storm.loss = arguments.value(lostBy) ?? .connectionLost
        storm.server.outage = arguments.value(outage) ?? .refuse
        storm.server.refusalCost = arguments.value(refusalCost) ?? 0
        storm.server.refill = arguments.value(refill) ?? .stepwise
        storm.server.retryAfter = arguments.value(retryAfter) ?? .none
        storm.network = FleetArguments.network(arguments)
        storm.seed = FleetArguments.seed(arguments)
        storm.threads = FleetArguments.threads(arguments)
        return storm
    }

    /// The same loss for clients that find a free server: what one of them waits from its own loss on.
    static func lone(_ storm: Storm) -> Storm.Outcome {
        var lone = storm
        if case .drained(let code, _) = storm.loss { lone.loss = .drained(code, over: 0) }
        lone.clients = min(storm.clients, 20_000)
        lone.server.rate = nil
        return lone.run()
    }

    @Sendable
    private static func run(_ arguments: ParsedArguments) async throws(UsageError) -> ExitCode {
        var policies = try FleetArguments.policies(arguments, among: Policy.allCases, command: "fleet storm")
        if arguments.value(lostBy) == .silence {
            let deaf = policies.filter { !$0.noticesSilence }
            if arguments.has(FleetArguments.compare) {
                Output.complaint(
                    "steady: left out, as they never notice: \(deaf.map(\.rawValue).joined(separator: ", "))")
            } else if let deaf = deaf.first {
                throw UsageError(
                    "--policy \(deaf.rawValue) sends no pings by default and never notices that a socket is dead; "
                        + "leave it out of --lost-by silent", command: "fleet storm")
            }
            policies.removeAll { !$0.noticesSilence }
        }
        return FleetRun.run(arguments, policies) { policy in
            let storm = storm(arguments, policy)
            return StormReport(
                storm: storm, outcome: FleetRun.watched(policy) { storm.run(progress: $0) }, lone: lone(storm))
        }
    }
}
