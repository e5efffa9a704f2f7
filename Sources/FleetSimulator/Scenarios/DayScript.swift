internal import ConnectionCore

/// The day, user by user.
struct DayScript: Script {
    struct Life {
        var draws: FleetGenerator
        /// When the current segment, or the stay in the background after it, began.
        var since: Int64 = 0
        var visitsLeft: UInt16 = 0
        var identity: UInt16 = 0
        /// The low bits count segments, so that a trigger of an old one is known.
        var segment: UInt16 = 0
        /// How many sockets have opened.
        var socket: UInt32 = 0
        var isIOS = false
        var inForeground = false
        var served = false
        var waitsForOpen = false
        /// The app holds background time.
        var holdsTime = false
        /// The socket ended while the app was suspended; the app learns it when it runs again.
        var endedUnseen = false
        /// The next segment begins a new process.
        var launches = true
    }

    private enum Own {
        static let begins = Kind.first
        static let identifies = Kind.first + 1
        static let triggers = Kind.first + 2
        static let ends = Kind.first + 3
        static let budgetEnds = Kind.first + 4
        static let socketDies = Kind.first + 5
        static let drops = Kind.first + 6
        static let freezes = Kind.first + 7
    }

    /// Visits are spread over 16 waking hours; a day has room for the last ones to end.
    static let end: Int64 = 2 * 86_400_000_000_000
    private static let waking = 57_600.0

    let usage: UsageLaw
    let seed: UInt64
    var origin: Int64 { 0 }
    var resolution: Int64 { 60_000_000_000 }
    var answers: Answers { .accepted }

    func life(of client: Int) -> Life {
        var life = Life(draws: FleetGenerator(seed: seed, client: client, purpose: .app))
        life.isIOS = life.draws.happens(usage.iOSShare)
        life.visitsLeft = UInt16(clamping: usage.visits(using: &life.draws))
        return life
    }

    func begin<A>(_ shard: inout Shard<A, Self>, client: Int) { scheduleVisit(&shard, client, after: 0) }

    private func scheduleVisit<A>(_ shard: inout Shard<A, Self>, _ client: Int, after now: Int64) {
        let life = shard.clients + client
        guard life.pointee.life.visitsLeft > 0 else { return }
        let pause = life.pointee.life.draws.exponential(mean: Self.waking / (usage.visits + 1))
        life.pointee.life.visitsLeft -= 1
        life.pointee.life.launches = life.pointee.life.draws.happens(usage.coldLaunch)
        shard.queue.push(at: now + nanoseconds(pause), client: client, kind: Own.begins, tag: 0)
    }

    func happen<A>(_ kind: UInt8, tag: UInt32, _ shard: inout Shard<A, Self>, client: Int, at now: Int64) {
        let record = shard.clients + client
        switch kind {
        case Own.begins: begins(&shard, client, at: now)
        case Own.ends: ends(&shard, client, at: now)
        case Own.identifies, Own.triggers:
            guard record.pointee.life.inForeground, tag == UInt32(record.pointee.life.segment) else { return }
            if kind == Own.identifies, record.pointee.life.draws.happens(usage.changes) {
                record.pointee.life.identity &+= 1
            }
            shard.tell(.ask(channel(record.pointee.life.identity)), client, at: now)
        case Own.budgetEnds:
            guard record.pointee.life.holdsTime, tag == UInt32(record.pointee.life.segment) else { return }
            shard.tell(.backgroundTimeExpired, client, at: now)
            freeze(&shard, client)
        case Own.freezes:
            guard !record.pointee.life.inForeground, tag == UInt32(record.pointee.life.segment) else { return }
            freeze(&shard, client)
        case Own.socketDies:
            guard !record.pointee.life.inForeground, tag == UInt32(record.pointee.life.segment) else { return }
            lose(&shard, client, at: now)
        default:
            guard record.pointee.life.socket & 0xFF_FFFF == tag else { return }
            lose(&shard, client, at: now)
        }
    }

    private func begins<A>(_ shard: inout Shard<A, Self>, _ client: Int, at now: Int64) {
        let record = shard.clients + client
        if record.pointee.life.launches {
            // A new process; what the last one held is gone.
            if record.pointee.openedAt >= 0 { shard.socketEnded(client, .abnormalClosure, at: now) }
            record.pointee.agent = A(following: shard.rules)
            // Attempts of the last process must not be taken for this one's.
            record.pointee.attempt = .max
            record.pointee.life.endedUnseen = false
        } else if record.pointee.openedAt >= 0 {
            shard.figures.backgroundOpen += now - max(record.pointee.openedAt, record.pointee.life.since)
        }
        let launched = record.pointee.life.launches
        record.pointee.life.launches = false
        record.pointee.life.inForeground = true
        record.pointee.life.segment &+= 1
        record.pointee.life.since = now
        record.pointee.life.served = record.pointee.openedAt >= 0
        record.pointee.life.waitsForOpen = !record.pointee.life.served
        record.pointee.suspended = false
        shard.figures.segments += 1
        if !launched {
            if record.pointee.life.endedUnseen {
                record.pointee.life.endedUnseen = false
                let attempt = shard.attempt(record.pointee.attempt)
                shard.tell(.ended(attempt, .connectionLost, retryAfter: nil), client, at: now)
            }
            shard.tell(.enteredForeground, client, at: now)
        }
        shard.tell(.ask(channel(record.pointee.life.identity)), client, at: now)

        let tag = UInt32(record.pointee.life.segment)
        let length = record.pointee.life.draws.lognormal(median: usage.segmentMedian, sigma: usage.segmentSigma)
        let identify = record.pointee.life.draws.lognormal(median: usage.identifyMedian, sigma: usage.identifySigma)
        let trigger = record.pointee.life.draws.lognormal(median: usage.triggerMedian, sigma: usage.triggerSigma)
        shard.queue.push(at: now + nanoseconds(min(length, 36_000)), client: client, kind: Own.ends, tag: tag)
        if usage.identifyMedian > 0, identify < length {
            shard.queue.push(at: now + nanoseconds(identify), client: client, kind: Own.identifies, tag: tag)
        }
        if usage.triggerMedian > 0, trigger < length {
            shard.queue.push(at: now + nanoseconds(trigger), client: client, kind: Own.triggers, tag: tag)
        }
    }

    private func ends<A>(_ shard: inout Shard<A, Self>, _ client: Int, at now: Int64) {
        let record = shard.clients + client
        if !record.pointee.life.served { shard.figures.unserved += 1 }
        record.pointee.life.inForeground = false
        record.pointee.life.since = now
        shard.tell(.enteredBackground, client, at: now)
        let tag = UInt32(record.pointee.life.segment)
        let lag = record.pointee.life.isIOS ? usage.iOSLag : usage.otherLag
        let dies = record.pointee.life.draws.uniform(lag.lowerBound, lag.upperBound)
        if record.pointee.life.holdsTime, usage.grantsBackgroundTime {
            shard.queue.push(
                at: now + nanoseconds(usage.backgroundBudget), client: client, kind: Own.budgetEnds, tag: tag)
        } else {
            // iOS freezes an app without background time a little before its socket goes; elsewhere it runs on.
            let frozen = record.pointee.life.isIOS ? min(dies, usage.iOSLag.lowerBound) : dies
            shard.queue.push(at: now + nanoseconds(frozen), client: client, kind: Own.freezes, tag: tag)
            shard.queue.push(at: now + nanoseconds(dies), client: client, kind: Own.socketDies, tag: tag)
        }
        if record.pointee.life.draws.happens(usage.continues) {
            let gap = record.pointee.life.draws.lognormal(median: usage.gapMedian, sigma: usage.gapSigma)
            shard.queue.push(at: now + nanoseconds(gap), client: client, kind: Own.begins, tag: tag)
        } else {
            scheduleVisit(&shard, client, after: now)
        }
    }

    private func freeze<A>(_ shard: inout Shard<A, Self>, _ client: Int) {
        shard.clients[client].suspended = true
    }

    /// The connection ends without a Close frame.
    private func lose<A>(_ shard: inout Shard<A, Self>, _ client: Int, at now: Int64) {
        let record = shard.clients + client
        guard record.pointee.openedAt >= 0 else { return }
        if !record.pointee.life.inForeground {
            shard.figures.backgroundOpen += now - max(record.pointee.openedAt, record.pointee.life.since)
        }
        shard.socketEnded(client, .abnormalClosure, at: now)
        guard !record.pointee.suspended, record.pointee.life.inForeground else {
            record.pointee.life.endedUnseen = true
            return
        }
        let attempt = shard.attempt(record.pointee.attempt)
        shard.tell(.ended(attempt, .connectionLost, retryAfter: nil), client, at: now)
    }

    func opened<A>(_ shard: inout Shard<A, Self>, client: Int, at now: Int64) {
        let record = shard.clients + client
        record.pointee.life.endedUnseen = false
        if record.pointee.life.inForeground {
            record.pointee.life.served = true
            if record.pointee.life.waitsForOpen {
                record.pointee.life.waitsForOpen = false
                shard.figures.untilOpen += now - record.pointee.life.since
                shard.figures.opens += 1
            }
        }
        record.pointee.life.socket += 1
        // Not the draws of the app: the day is the same for every policy, however many sockets it opens.
        let drop = record.pointee.worldDraws.exponential(mean: usage.dropEvery)
        shard.queue.push(
            at: now + nanoseconds(drop), client: client, kind: Own.drops, tag: record.pointee.life.socket)
    }

    func backgroundTime<A>(
        _ change: Actions.BackgroundTime, _ shard: inout Shard<A, Self>, client: Int, at now: Int64
    ) {
        let record = shard.clients + client
        switch change {
        case .begin: record.pointee.life.holdsTime = true
        case .end:
            record.pointee.life.holdsTime = false
            if !record.pointee.life.inForeground { freeze(&shard, client) }
        }
    }

    func closes<A>(_ shard: inout Shard<A, Self>, client: Int, with code: CloseCode, at now: Int64) -> CloseCode {
        let record = shard.clients + client
        guard !record.pointee.life.inForeground else { return code }
        shard.figures.backgroundOpen += now - max(record.pointee.openedAt, record.pointee.life.since)
        return record.pointee.worldDraws.happens(usage.lostCloses) ? .abnormalClosure : code
    }

    private func channel(_ identity: UInt16) -> ChannelID { ChannelID(identity: String(identity)) }

    private func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }
}
