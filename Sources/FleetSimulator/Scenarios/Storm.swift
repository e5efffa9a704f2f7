package import ConnectionCore

/// All clients lose their sockets together, and come back to a server that accepts so many per second.
package struct Storm: Scenario, Sendable {
    /// How the sockets are lost.
    package enum Loss: Hashable, Sendable {
        /// The connections end without a Close frame at time 0 (1006).
        case connectionLost
        /// The server closes each with this code at a time uniform in this many seconds from 0.
        case drained(CloseCode, over: Double)
        /// All phones lose their network for this long and regain it one after the other: half normal with this spread, in
        /// seconds.
        case pathReturn(after: Double, spread: Double)
        /// What carries the sockets dies at time 0 without a packet: pings stay unanswered, and each client finds out by
        /// its keepalive. New connections reach a server that answers.
        case silence
    }

    package var clients = 1_000_000
    package var policy = Policy.standard
    package var loss = Loss.connectionLost
    package var server: AcceptServer
    /// Seconds the service is down from time 0.
    package var down = 0.0
    package var network = NetworkLaw()
    package var seed: UInt64 = 1
    package var threads = 1
    /// Seconds after the end of the outage after which the simulation stops, whether the storm is over or not.
    package var patience = 3600.0

    package init(acceptRate: Double?) { server = AcceptServer(rate: acceptRate) }

    /// What came of it.
    package struct Outcome: Sendable {
        /// Attempts per client, refused ones and the successful one included.
        package var attemptsPerClient: Double
        /// Most attempts that reached the server within one second, and within 100 ms.
        package var peakPerSecond: Int
        package var peakPer100ms: Int
        /// Seconds from the end of the outage until this share of the clients had a socket; nil if not within
        /// `patience`.
        package var t50: Double?
        package var t95: Double?
        package var t99: Double?
        /// The same share at the accept rate, with no second lost.
        package var optimumT99: Double
        /// Clients with a socket at the end, as a share.
        package var recoveredShare: Double
        /// Calls of the clients' logic.
        package var events: Int
        /// Events the queues moved.
        package var queueEvents: Int
        /// Simulated seconds.
        package var seconds: Double
        /// Memory of clients and queues per client, in bytes.
        package var bytesPerClient: Double
        /// Mean time from the loss to the socket over all clients.
        package var meanRecovery: Double?
        package var attempts: Tally
        package var recoveries: Tally
    }

    /// Runs the storm. `progress` hears the share of clients that have a socket again.
    package func run(progress: (Double) -> Void = { _ in }) -> Outcome { runPolicy(progress) }

    func run<A: Agent>(
        _: A.Type, _ progress: (Double) -> Void, rules: @escaping () -> A.Rules
    ) -> Outcome {
        var server = server
        server.downUntil = StormScript.start + Int64(down * 1e9)
        let fleet = Fleet<A, StormScript>(
            clients: clients, script: StormScript(loss: loss, heartbeat: policy.published?.heartbeat), network: network,
            server: server, seed: seed, threads: threads, rules: rules)
        let clients = clients
        fleet.run(until: StormScript.start + Int64((down + patience) * 1e9)) {
            progress(Double($0.recovered) / Double(clients))
            return $0.recovered == clients
        }
        let totals = fleet.totals()
        func after(_ share: Double) -> Double? {
            totals.recoveries.quantile(share, of: clients).map { max(0, $0 - down) }
        }
        return Outcome(
            attemptsPerClient: Double(totals.attempts.total) / Double(clients),
            peakPerSecond: totals.attempts.peak(within: 1),
            peakPer100ms: totals.attempts.peak(within: 0.1), t50: after(0.5), t95: after(0.95),
            t99: after(0.99), optimumT99: server.rate.map { 0.99 * Double(clients) / $0 } ?? 0,
            recoveredShare: Double(totals.recoveries.total) / Double(clients), events: totals.machineEvents,
            queueEvents: totals.queueEvents, seconds: Double(fleet.now - StormScript.start) / 1e9,
            bytesPerClient: Double(totals.bytes) / Double(clients), meanRecovery: totals.recoveries.mean,
            attempts: totals.attempts, recoveries: totals.recoveries)
    }
}

/// The storm, client by client.
struct StormScript: Script {
    struct Life {
        var recovered = false
    }

    private enum Own {
        static let lost = Kind.first
        static let pathReturns = Kind.first + 1
    }

    /// When the sockets are lost. Clients connect some time before.
    static let start: Int64 = 200_000_000_000
    static let channel = ChannelID(identity: "fleet")

    let loss: Storm.Loss
    /// When the clients of a published policy notice silence; the machine pings by itself.
    let heartbeat: PublishedPolicy.Heartbeat?
    var origin: Int64 { Self.start }
    var resolution: Int64 { 10_000_000 }
    var answers: Answers { .sharedServer }

    func life(of client: Int) -> Life { Life() }

    func begin<A>(_ shard: inout Shard<A, Self>, client: Int) {
        let record = shard.clients + client
        shard.openBefore(Self.start, client, channel: Self.channel)
        var time = Self.start + shard.roundTrip(of: client) / 2
        var kind = Own.lost
        switch loss {
        case .connectionLost: break
        case .drained(_, let over): time += Int64(record.pointee.worldDraws.uniform(0, over) * 1e9)
        case .pathReturn(let after, let spread):
            record.pointee.offline = true
            shard.tell(.pathChanged(.offline), client, at: Self.start)
            // A socket without a network does not outlive the outage: the server or a middlebox has dropped it.
            shard.tell(.ended(AttemptID(1), .connectionLost, retryAfter: nil), client, at: Self.start)
            shard.socketEnded(client, .abnormalClosure, at: Self.start)
            let late = spread * abs(record.pointee.worldDraws.normal())
            time = Self.start + Int64((after + late) * 1e9)
            kind = Own.pathReturns
        case .silence:
            guard let heartbeat else { return }
            let late = record.pointee.worldDraws.uniform(0, heartbeat.every) + heartbeat.patience
            time = Self.start + Int64(late * 1e9)
        }
        shard.queue.push(at: time, client: client, kind: kind, tag: 1)
    }

    func happen<A>(_ kind: UInt8, tag: UInt32, _ shard: inout Shard<A, Self>, client: Int, at now: Int64) {
        if kind == Own.pathReturns {
            shard.clients[client].offline = false
            return shard.tell(.pathChanged(.online(fingerprint: 2)), client, at: now)
        }
        var reason = DisconnectReason.connectionLost
        var code = CloseCode.abnormalClosure
        switch loss {
        case .connectionLost, .pathReturn: break
        case .drained(let sent, _): (reason, code) = (.closedByPeer(sent), sent)
        case .silence: reason = .keepaliveTimedOut
        }
        shard.socketEnded(client, code, at: now)
        shard.tell(.ended(shard.attempt(tag), reason, retryAfter: nil), client, at: now)
    }

    /// The socket that was open when the silence began is the only one without a peer.
    func peerAnswers<A>(_ shard: inout Shard<A, Self>, client: Int) -> Bool {
        guard case .silence = loss else { return true }
        return shard.clients[client].life.recovered || shard.clients[client].openedAt < 0
    }

    func opened<A>(_ shard: inout Shard<A, Self>, client: Int, at now: Int64) {
        guard !shard.clients[client].life.recovered else { return }
        shard.clients[client].life.recovered = true
        shard.recoveries.add(at: now)
    }
}

extension Shard {
    /// Lets a client have asked and connected 60 to 100 s before `start`, so that its keepalive is at a time of its own
    /// and its backoff has earned a fresh start.
    mutating func openBefore(_ start: Int64, _ client: Int, channel: ChannelID) {
        let record = clients + client
        var time = start - 60_000_000_000 - Int64(record.pointee.worldDraws.unit() * 40e9)
        func heard(_ event: ConnectionEvent) -> Actions {
            machineEvents += 1
            return record.pointee.agent.handle(
                event, at: Instant(nanoseconds: time), using: &record.pointee.policyDraws)
        }
        var actions = heard(.ask(channel))
        while actions.open == nil, let due = record.pointee.agent.nextDeadline {
            time = due.nanoseconds
            actions = heard(.timeReached)
        }
        _ = heard(.opened(AttemptID(1)))
        record.pointee.openedAt = time
        record.pointee.attempt = 1
        ledger.opened()
        while let due = record.pointee.agent.nextDeadline, due.nanoseconds < start {
            time = due.nanoseconds
            if heard(.timeReached).ping != nil { _ = heard(.frameReceived(AttemptID(1))) }
        }
        arm(client, at: time)
    }
}
