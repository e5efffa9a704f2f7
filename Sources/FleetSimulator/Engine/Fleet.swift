internal import Dispatch

/// All clients of a run, in a fixed number of shards that threads share out among themselves.
///
/// Results are the same for every number of threads, because
/// * a client draws only from generators of its own, and touches nothing but its shard;
/// * shards advance in lock step, one window of simulated time after the other. What couples clients, the shared
///   server, works between windows: it takes the attempts that arrived in the window in the order of (time, client), and
///   its answers reach clients in a later window, because no answer takes less than a window;
/// * sums are taken in the order of the shards.
final class Fleet<A: Agent, S: Script> {
    /// How many shards there are, whatever the number of threads.
    static var shardCount: Int { 32 }

    /// The simulated time that has passed, in nanoseconds.
    private(set) var now: Int64 = 0
    private let shards: UnsafeMutablePointer<Shard<A, S>>
    private let threads: Int
    private var server: AcceptServer?
    private var serverDraws: FleetGenerator
    private var batch: [(key: UInt64, shard: Int32, arrival: Arrival)] = []

    /// - Parameters:
    ///   - rules: makes the rules of one shard; shards share nothing, so that threads do not count the same references.
    init(
        clients: Int, script: S, network: NetworkLaw, server: AcceptServer?, seed: UInt64, threads: Int,
        rules: @escaping () -> A.Rules
    ) {
        precondition(Double(EventQueue.width) <= network.roundTripFloor * 0.5e6)
        self.threads = max(1, threads)
        self.server = server
        serverDraws = FleetGenerator(seed: seed, client: .max, purpose: .world)
        let count = Self.shardCount
        shards = .allocate(capacity: count)
        nonisolated(unsafe) let shards = shards
        let allRules = (0..<count).map { _ in rules() }
        nonisolated(unsafe) let shared = allRules
        Self.parallel(self.threads) { shard in
            let base = clients * shard / count
            let size = clients * (shard + 1) / count - base
            (shards + shard).initialize(
                to: Shard(
                    script: script, network: network, rules: shared[shard], seed: seed, base: base, count: size))
        }
    }

    deinit {
        shards.deinitialize(count: Self.shardCount)
        shards.deallocate()
    }

    /// Runs until nothing is left to do, the time is over, or `finished` says so, which is asked now and then: with a
    /// shared server once per second of simulated time.
    func run(until end: Int64, finished: (Progress) -> Bool) {
        guard server != nil else { return runApart(until: end, finished: finished) }
        var nextLook: Int64 = 0
        while let window = nextWindow(), window * EventQueue.width < end {
            now = window * EventQueue.width
            if now >= nextLook {
                nextLook = now + 1_000_000_000
                if finished(progress) { return }
            }
            step(to: window)
            answerArrivals()
        }
        now = min(end, now)
    }

    /// Without a shared server shards have nothing to do with each other; they meet only to report.
    private func runApart(until end: Int64, finished: (Progress) -> Bool) {
        nonisolated(unsafe) let shards = shards
        let stage = max(EventQueue.width, end / 100)
        while now < end, nextWindow() != nil, !finished(progress) {
            let stop = min(end, now + stage)
            Self.parallel(threads) { index in
                shards[index].drain(until: stop)
            }
            now = stop
        }
    }

    /// What can be said while the run goes on.
    struct Progress {
        var now: Int64
        var recovered: Int
    }

    private var progress: Progress {
        Progress(now: now, recovered: (0..<Self.shardCount).reduce(0) { $0 + shards[$1].recoveries.total })
    }

    private func nextWindow() -> Int64? {
        var earliest: Int64?
        for index in 0..<Self.shardCount {
            if let window = shards[index].queue.nextWindow() { earliest = min(earliest ?? .max, window) }
        }
        return earliest
    }

    private func step(to window: Int64) {
        nonisolated(unsafe) let shards = shards
        Self.parallel(threads) { shards[$0].drain(only: window) }
    }

    private func answerArrivals() {
        batch.removeAll(keepingCapacity: true)
        for index in 0..<Self.shardCount where !shards[index].arrivals.isEmpty {
            let base = shards[index].base
            for arrival in shards[index].arrivals {
                let key = UInt64(arrival.offset) << 32 | UInt64(base + Int(arrival.client))
                batch.append((key, Int32(index), arrival))
            }
            shards[index].arrivals.removeAll(keepingCapacity: true)
        }
        batch.sort { $0.key < $1.key }
        for entry in batch {
            let time = now + Int64(entry.arrival.offset)
            guard let answer = server?.answer(at: time, using: &serverDraws) else { return }
            shards[Int(entry.shard)].answer(entry.arrival, answer)
        }
    }

    /// Calls `work` with every shard once. Which thread takes which shard does not matter.
    private static func parallel(_ threads: Int, _ work: @escaping (Int) -> Void) {
        if threads == 1 {
            for shard in 0..<shardCount { work(shard) }
        } else {
            nonisolated(unsafe) let work = work
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                for shard in stride(from: thread, to: shardCount, by: threads) { work(shard) }
            }
        }
    }

    // MARK: results

    /// The sums over all shards.
    func totals() -> Totals {
        var totals = Totals(like: shards[0].attempts)
        for index in 0..<Self.shardCount {
            totals.attempts.add(shards[index].attempts)
            totals.recoveries.add(shards[index].recoveries)
            totals.ledger.add(shards[index].ledger)
            totals.figures.add(shards[index].figures)
            totals.machineEvents += shards[index].machineEvents
            totals.queueEvents += shards[index].queueEvents
            totals.bytes += shards[index].bytes
        }
        totals.bytes += batch.capacity * MemoryLayout<(key: UInt64, shard: Int32, arrival: Arrival)>.stride
        return totals
    }
}

/// The sums over all shards.
struct Totals {
    var attempts: Tally
    var recoveries: Tally
    var ledger = SocketLedger()
    var figures = Figures()
    var machineEvents = 0
    var queueEvents = 0
    /// The memory of clients and queues at its peak.
    var bytes = 0

    init(like tally: Tally) {
        attempts = Tally(origin: tally.origin, slot: tally.slot)
        recoveries = attempts
    }
}
