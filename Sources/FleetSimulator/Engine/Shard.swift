internal import ConnectionCore

/// A fixed part of the clients with a queue and counts of its own. Shards are as many whatever the number of threads.
struct Shard<A: Agent, S: Script>: ~Copyable {
    let script: S
    let network: NetworkLaw
    let rules: A.Rules
    /// The number of the first client.
    let base: Int
    let count: Int
    let clients: UnsafeMutablePointer<Client<A, S.Life>>
    private let timings: UnsafeMutablePointer<Timing>
    var queue: EventQueue
    /// Attempts that reached the shared server in the current window, in the order of time.
    var arrivals: [Arrival] = []
    /// Every attempt, at the time it reaches the server.
    var attempts: Tally
    /// When clients had a socket again.
    var recoveries: Tally
    var ledger = SocketLedger()
    /// Calls of `handle`.
    var machineEvents = 0
    /// Events taken from the queue.
    var queueEvents = 0
    var figures = Figures()
    /// Keeps `warmUp` from being optimised away.
    private var warmth: UInt8 = 0

    init(script: S, network: NetworkLaw, rules: A.Rules, seed: UInt64, base: Int, count: Int) {
        self.script = script
        self.network = network
        self.rules = rules
        self.base = base
        self.count = count
        queue = EventQueue()
        timings = .allocate(capacity: max(1, count))
        attempts = Tally(origin: script.origin, slot: script.resolution)
        recoveries = Tally(origin: script.origin, slot: script.resolution)
        // At the start of a cache line, so that a client lies in no more of them than it must.
        clients = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, count) * MemoryLayout<Client<A, S.Life>>.stride, alignment: Self.cacheLine
        ).bindMemory(to: Client<A, S.Life>.self, capacity: count)
        for index in 0..<count {
            var world = FleetGenerator(seed: seed, client: base + index, purpose: .world)
            (timings + index).initialize(to: Timing(roundTrip: Int32(network.roundTrip(using: &world) / 1000)))
            (clients + index).initialize(
                to: Client(
                    agent: A(following: rules),
                    policyDraws: FleetGenerator(seed: seed, client: base + index, purpose: .policy),
                    worldDraws: world, life: script.life(of: base + index)))
            script.begin(&self, client: index)
        }
    }

    deinit {
        clients.deinitialize(count: count)
        clients.deallocate()
        timings.deallocate()
    }

    private static var cacheLine: Int { 64 }

    /// How many bytes clients and queue take up. Nothing is given back, so this is their peak.
    var bytes: Int {
        count * (MemoryLayout<Client<A, S.Life>>.stride + MemoryLayout<Timing>.stride) + queue.bytes
            + arrivals.capacity * MemoryLayout<Arrival>.stride
    }

    /// Handles every event before this time.
    mutating func drain(until end: Int64) {
        while let window = queue.nextWindow(), window * EventQueue.width < end {
            queue.advance(to: window)
            drain()
        }
    }

    /// Handles the events of this window. A shard that has none stays where it is.
    mutating func drain(only window: Int64) {
        guard queue.nextWindow() == window else { return }
        queue.advance(to: window)
        drain()
    }

    /// Handles every event of the current window.
    private mutating func drain() {
        warmUp()
        while let event = queue.pop() {
            queueEvents += 1
            let now = queue.base + event.offset
            let client = event.client
            switch event.kind {
            case Kind.wake: wake(client, at: now)
            case Kind.arrival: arrive(client, tag: event.tag, at: now)
            case Kind.accepted: accepted(client, tag: event.tag, at: now)
            case Kind.refused: refused(client, tag: event.tag, retryAfter: nil, at: now)
            case Kind.postponed:
                let told = Duration.seconds(Int(clients[client].retryAfter))
                refused(client, tag: event.tag, retryAfter: told, at: now)
            case Kind.pong:
                guard !clients[client].suspended else { continue }
                tell(.frameReceived(attempt(event.tag)), client, at: now)
            case Kind.closed:
                tell(
                    .ended(attempt(event.tag), .closedLocally(.replaced), retryAfter: nil), client, at: now)
            case Kind.unreachable:
                let attempt = attempt(event.tag)
                tell(.ended(attempt, .openingFailed(.connect), retryAfter: nil), client, at: now)
            default: script.happen(event.kind, tag: event.tag, &self, client: client, at: now)
            }
        }
    }

    /// Reads a byte of every cache line the window is going to need. The reads do not depend on each other, so the memory
    /// serves many at once; the events, handled one after the other, would wait for each in turn.
    private mutating func warmUp() {
        let size = MemoryLayout<Client<A, S.Life>>.stride
        let bytes = UnsafeRawPointer(clients)
        let base = queue.base
        var sum: UInt8 = 0
        queue.forEachEvent { event in
            let client = event.client
            sum &+= UInt8(truncatingIfNeeded: timings[client].roundTrip)
            // An arrival is the server's business, and a wake-up that was overtaken is nobody's.
            if event.kind == Kind.arrival { return }
            if event.kind == Kind.wake, timings[client].armed != base + event.offset { return }
            var offset = client * size
            let end = offset + size
            while offset < end {
                sum &+= bytes.load(fromByteOffset: offset, as: UInt8.self)
                offset += Self.cacheLine
            }
        }
        warmth = sum
    }

    /// Tells the client something and does what it says.
    @inline(__always)
    mutating func tell(_ event: ConnectionEvent, _ client: Int, at now: Int64) {
        machineEvents += 1
        let record = clients + client
        let actions = record.pointee.agent.handle(
            event, at: Instant(nanoseconds: now), using: &record.pointee.policyDraws)
        let nextNews = act(on: actions, client, at: now)
        arm(client, at: now, nextNews: nextNews)
    }

    /// Returns when the client is going to be told what comes of it; never if nothing does.
    @inline(__always)
    private mutating func act(on actions: Actions, _ client: Int, at now: Int64) -> Int64 {
        var news = Int64.max
        if actions.abandon != nil { socketEnded(client, .abnormalClosure, at: now) }
        if let close = actions.close {
            let answers = script.peerAnswers(&self, client: client)
            if clients[client].openedAt >= 0 {
                let sent = answers ? A.recordedCode(for: close.cause, rules) : .abnormalClosure
                socketEnded(client, script.closes(&self, client: client, with: sent, at: now), at: now)
            }
            if answers {
                news = now + roundTrip(of: client)
                queue.push(
                    at: news, client: client, kind: Kind.closed, tag: UInt32(truncatingIfNeeded: close.attempt.number))
            }
        }
        if let open = actions.open { news = min(news, start(open.attempt, client, at: now)) }
        if let attempt = actions.ping, script.peerAnswers(&self, client: client) {
            news = min(news, now + roundTrip(of: client))
            queue.push(
                at: now + roundTrip(of: client), client: client, kind: Kind.pong,
                tag: UInt32(truncatingIfNeeded: attempt.number))
        }
        if let change = actions.backgroundTime { script.backgroundTime(change, &self, client: client, at: now) }
        return news
    }

    /// An attempt: one round trip for TCP, the upgrade request arrives half a round trip later, and its answer another.
    /// Returns when the answer is there.
    @inline(__always)
    private mutating func start(_ attempt: AttemptID, _ client: Int, at now: Int64) -> Int64 {
        let record = clients + client
        let tag = UInt32(truncatingIfNeeded: attempt.number) & 0xFF_FFFF
        record.pointee.attempt = tag
        if record.pointee.offline {
            queue.push(at: now + 1_000_000, client: client, kind: Kind.unreachable, tag: tag)
            return now + 1_000_000
        }
        if network.drawsPerAttempt {
            timings[client].roundTrip = Int32(network.roundTrip(using: &record.pointee.worldDraws) / 1000)
        }
        let roundTrip = roundTrip(of: client)
        let arrival =
            now + roundTrip + roundTrip / 2
            + network.retransmissions(flights: 2, using: &record.pointee.worldDraws)
        let answer = arrival + roundTrip / 2
        switch script.answers {
        case .sharedServer: queue.push(at: arrival, client: client, kind: Kind.arrival, tag: tag)
        case .accepted:
            attempts.add(at: arrival)
            queue.push(at: answer, client: client, kind: Kind.accepted, tag: tag)
        case .refused:
            attempts.add(at: arrival)
            queue.push(at: answer, client: client, kind: Kind.refused, tag: tag)
        }
        return answer
    }

    private mutating func arrive(_ client: Int, tag: UInt32, at now: Int64) {
        attempts.add(at: now)
        arrivals.append(
            Arrival(
                offset: UInt32(now - queue.window * EventQueue.width), client: UInt32(client), tag: tag,
                roundTrip: timings[client].roundTrip))
    }

    /// Queues the answer of the shared server.
    mutating func answer(_ arrival: Arrival, _ answer: AcceptServer.Answer) {
        let client = Int(arrival.client)
        let half = Int64(arrival.roundTrip) * 500
        let time = queue.window * EventQueue.width + Int64(arrival.offset) + half
        switch answer {
        case .accept: queue.push(at: time, client: client, kind: Kind.accepted, tag: arrival.tag)
        case .refuse(let retryAfter):
            // Nothing of the client is touched without need: its memory is far away.
            if retryAfter > 0 { clients[client].retryAfter = retryAfter }
            let kind = retryAfter > 0 ? Kind.postponed : Kind.refused
            queue.push(at: time, client: client, kind: kind, tag: arrival.tag)
        case .silence: arm(client, at: time - half)
        }
    }

    private mutating func wake(_ client: Int, at now: Int64) {
        // A wake-up that a later, earlier one has overtaken.
        guard timings[client].armed == now else { return }
        timings[client].armed = .max
        let record = clients + client
        guard !record.pointee.suspended, let due = record.pointee.agent.nextDeadline?.nanoseconds else { return }
        if due > now { return arm(client, at: now) }
        tell(.timeReached, client, at: now)
    }

    /// Makes sure that a wake-up is queued no later than the client's deadline, unless the client is told something
    /// before: most answers come long before anybody would give up waiting for them.
    @inline(__always)
    mutating func arm(_ client: Int, at now: Int64, nextNews: Int64 = .max) {
        let record = clients + client
        guard let due = record.pointee.agent.nextDeadline?.nanoseconds, due <= nextNews, due < timings[client].armed
        else { return }
        let time = max(due, now)
        timings[client].armed = time
        queue.push(at: time, client: client, kind: Kind.wake, tag: 0)
    }

    private mutating func accepted(_ client: Int, tag: UInt32, at now: Int64) {
        let record = clients + client
        // The client has given this attempt up; the server sees a socket that ends as it opens.
        guard record.pointee.attempt == tag, !record.pointee.suspended else { return }
        record.pointee.openedAt = now
        ledger.opened()
        tell(.opened(attempt(tag)), client, at: now)
        if record.pointee.openedAt == now { script.opened(&self, client: client, at: now) }
    }

    private mutating func refused(_ client: Int, tag: UInt32, retryAfter: Duration?, at now: Int64) {
        tell(.ended(attempt(tag), .openingRefused(status: 503), retryAfter: retryAfter), client, at: now)
    }

    /// The server's record of the socket, if there is one, is complete.
    mutating func socketEnded(_ client: Int, _ code: CloseCode, at now: Int64) {
        let record = clients + client
        guard record.pointee.openedAt != Client<A, S.Life>.noSocket else { return }
        ledger.ended(code, after: now - record.pointee.openedAt)
        record.pointee.openedAt = Client<A, S.Life>.noSocket
    }

    /// In nanoseconds.
    @inline(__always)
    func roundTrip(of client: Int) -> Int64 { Int64(timings[client].roundTrip) * 1000 }

    /// The attempt a tag stands for; tags are the low 24 bits.
    @inline(__always)
    func attempt(_ tag: UInt32) -> AttemptID { AttemptID(UInt64(tag)) }
}
