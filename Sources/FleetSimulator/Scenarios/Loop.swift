internal import ConnectionCore

/// Situations that go round and round: a path that flaps while the service is down, a service that dies after its hello.
package struct Loop: Scenario, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Every so many seconds on average the network goes for `offline` seconds; every attempt is refused with 503.
        /// How long it stays varies by half, or a fixed delay could fall into step with it.
        case flap(every: Double, offline: Double)
        /// Every attempt is accepted; a hello follows, and so many seconds later the server closes with 1011.
        case crash(after: Double)
    }

    package var kind: Kind
    package var clients = 10_000
    package var policy = Policy.standard
    /// Simulated seconds. Default an hour.
    package var seconds = 3600.0
    package var network = NetworkLaw()
    package var seed: UInt64 = 1
    package var threads = 1

    package init(_ kind: Kind) { self.kind = kind }

    package struct Outcome: Sendable {
        package var attemptsPerClientHour: Double
        /// Sockets that opened, per client and hour.
        package var connectsPerClientHour: Double
        package var events: Int
        package var queueEvents: Int
        package var bytesPerClient: Double
        package var attempts: Tally
    }

    /// Runs it. `progress` hears the share that is over.
    package func run(progress: (Double) -> Void = { _ in }) -> Outcome { runPolicy(progress) }

    func run<A: Agent>(_: A.Type, _ progress: (Double) -> Void, rules: @escaping () -> A.Rules) -> Outcome {
        let fleet = Fleet<A, LoopScript>(
            clients: clients, script: LoopScript(kind: kind), network: network, server: nil, seed: seed,
            threads: threads, rules: rules)
        let end = Int64(seconds * 1e9)
        fleet.run(until: end) {
            progress(Double($0.now) / Double(end))
            return false
        }
        let totals = fleet.totals()
        let clientHours = Double(max(1, clients)) * seconds / 3600
        return Outcome(
            attemptsPerClientHour: Double(totals.attempts.total) / clientHours,
            connectsPerClientHour: Double(totals.ledger.connects) / clientHours, events: totals.machineEvents,
            queueEvents: totals.queueEvents, bytesPerClient: Double(totals.bytes) / Double(max(1, clients)),
            attempts: totals.attempts)
    }
}

struct LoopScript: Script {
    struct Life {}

    private enum Own {
        static let starts = FleetSimulator.Kind.first
        static let flaps = FleetSimulator.Kind.first + 1
        static let hello = FleetSimulator.Kind.first + 2
        static let crash = FleetSimulator.Kind.first + 3
    }

    let kind: Loop.Kind
    var origin: Int64 { 0 }
    var resolution: Int64 { 1_000_000_000 }
    var answers: Answers {
        switch kind {
        case .flap: .refused
        case .crash: .accepted
        }
    }

    func life(of client: Int) -> Life { Life() }

    func begin<A>(_ shard: inout Shard<A, Self>, client: Int) {
        let starts = shard.clients[client].worldDraws.uniform(0, 10)
        shard.queue.push(at: Int64(starts * 1e9), client: client, kind: Own.starts, tag: 0)
        if case .flap(let every, _) = kind {
            let first = shard.clients[client].worldDraws.uniform(0, every)
            shard.queue.push(at: Int64(first * 1e9), client: client, kind: Own.flaps, tag: 0)
        }
    }

    func happen<A>(_ kind: UInt8, tag: UInt32, _ shard: inout Shard<A, Self>, client: Int, at now: Int64) {
        switch kind {
        case Own.starts: shard.tell(.ask(ChannelID(identity: "fleet")), client, at: now)
        case Own.flaps: flap(&shard, client, at: now)
        case Own.hello: shard.tell(.messageReceived(shard.attempt(tag)), client, at: now)
        default:
            guard shard.clients[client].attempt == tag, shard.clients[client].openedAt >= 0 else { return }
            shard.socketEnded(client, .internalError, at: now)
            let attempt = shard.attempt(tag)
            shard.tell(.ended(attempt, .closedByPeer(.internalError), retryAfter: nil), client, at: now)
        }
    }

    private func flap<A>(_ shard: inout Shard<A, Self>, _ client: Int, at now: Int64) {
        guard case .flap(let every, let offline) = kind else { return }
        let returns = shard.clients[client].offline
        shard.clients[client].offline = !returns
        let stay = max(every - offline, 0.01) * shard.clients[client].worldDraws.uniform(0.5, 1.5)
        let next = returns ? stay : offline
        shard.queue.push(at: now + Int64(next * 1e9), client: client, kind: Own.flaps, tag: 0)
        shard.tell(.pathChanged(returns ? .online(fingerprint: 1) : .offline), client, at: now)
    }

    func opened<A>(_ shard: inout Shard<A, Self>, client: Int, at now: Int64) {
        guard case .crash(let after) = kind else { return }
        let tag = shard.clients[client].attempt
        shard.queue.push(at: now + 1_000_000, client: client, kind: Own.hello, tag: tag)
        shard.queue.push(at: now + max(2_000_000, Int64(after * 1e9)), client: client, kind: Own.crash, tag: tag)
    }
}
