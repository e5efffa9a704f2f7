#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import ConnectionCore
internal import ConnectionLedger
internal import Dispatch

/// The server behind `LedgerServer`: the sockets, the ledger and the one timer. `ServerCore+Listener` has the port.
// Confined to `queue`: `LedgerServer` calls it there, and every source targets it.
final class ServerCore: @unchecked Sendable {
    let queue = DispatchQueue(label: "steady.ledger-server")
    let options: ServerOptions
    private let onEvent: @Sendable (ServerEvent) -> Void
    /// Where every socket reads into; one is enough, because one queue reads.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    var behaviour = Behaviour() {
        didSet { if behaviour.acceptRate != oldValue.acceptRate { changeRate() } }
    }
    private(set) var entries: [LedgerEntry] = []
    var counters = ServerCounters()
    private(set) var sockets: [UInt64: ServerSocket] = [:]

    /// Those whose turn has not come, in order; some may be gone by the time it does.
    private var waiting: [UInt64] = []
    private var pacer: AcceptPacer?

    private let clock = ContinuousClock()
    private let origin: ContinuousClock.Instant
    private var deadlines = Deadlines()
    private let timer: any DispatchSourceTimer
    private var timerTime: Instant?
    private var watchesSilence = false

    // The port, see ServerCore+Listener.
    var listener = Listener.none
    var wanted = Wanted.nothing
    var port: UInt16 = 0
    var outage: Outage?
    var outageNumber = 0
    var isAcceptPaused = false
    var waiters: [Waiter] = []

    init(_ options: ServerOptions, onEvent: @escaping @Sendable (ServerEvent) -> Void) {
        self.options = options
        self.onEvent = onEvent
        origin = clock.now
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.timeReached() }
        timer.resume()
    }

    deinit {
        timer.cancel()
        buffer.deallocate()
    }

    var now: Instant { Instant(nanoseconds: (clock.now - origin).inNanoseconds) }
    var wallTime: WallTime { WallTime(Date()) }

    // MARK: Sockets

    func add(descriptor: Int32, peer: String) {
        counters.connections += 1
        let id = UInt64(counters.connections)
        if case .dropping = outage {
            Posix.close(descriptor)
            note(RefusalRecord(time: wallTime, status: nil, peer: peer))
            return
        }
        sockets[id] = ServerSocket(id: id, descriptor: descriptor, peer: peer, core: self)
        schedule(.head(id), in: options.headTimeout)
    }

    func remove(_ socket: ServerSocket) {
        sockets[socket.id] = nil
        checkWaiters()
    }

    /// The sockets a command is for; a copy, because ending one changes the table.
    func selected(_ selection: Selection) -> [ServerSocket] {
        switch selection {
        case .all: sockets.values.sorted { $0.id < $1.id }
        case .one(let id): sockets[id].map { [$0] } ?? []
        }
    }

    func apply(_ fate: Fate, to selection: Selection) {
        for socket in selected(selection) {
            socket.apply(fate)
            socket.flush()
        }
    }

    func send(_ text: String, to selection: Selection) {
        for socket in selected(selection) {
            socket.sendText(text)
            socket.flush()
        }
    }

    // MARK: Opening handshakes

    /// Answers a complete request, or lets it wait.
    func decide(_ socket: ServerSocket, _ request: UpgradeRequest) {
        if case .refusing(let refusal) = outage { return socket.refuse(refusal) }
        if let refusal = behaviour.refusal { return socket.refuse(refusal) }
        guard let rate = behaviour.acceptRate else { return socket.accept(request) }
        // Who comes later must not overtake those who wait.
        if waiting.isEmpty, pacer?.take(at: now) == true { return socket.accept(request) }
        switch rate.excess {
        case .refuse(let refusal): socket.refuse(refusal)
        case .wait:
            socket.phase = .waiting(request)
            waiting.append(socket.id)
            if waiting.count == 1 { scheduleTurn() }
        }
    }

    private func changeRate() {
        pacer = behaviour.acceptRate.map { AcceptPacer(perSecond: $0.perSecond) }
        acceptWaiting()
    }

    private func acceptWaiting() {
        var served = 0
        for id in waiting {
            // Somebody who waits and is gone does not take a turn.
            if let socket = sockets[id], case .waiting(let request) = socket.phase {
                guard pacer?.take(at: now) ?? true else { break }
                socket.accept(request)
                socket.flush()
            }
            served += 1
        }
        waiting.removeFirst(served)
        if !waiting.isEmpty { scheduleTurn() }
    }

    private func scheduleTurn() {
        if let pacer { schedule(.turn, at: pacer.nextTurn) }
    }

    // MARK: Ledger

    func didOpen(_ socket: ServerSocket) {
        guard let record = socket.record else { return }
        counters.opened += 1
        counters.open += 1
        for timed in behaviour.timedFates { schedule(.fate(socket.id, timed.fate), in: timed.after) }
        onEvent(
            .opened(
                OpenSocket(
                    id: record.id, opened: record.opened, path: record.path, query: record.query, peer: record.peer)))
    }

    func recordSocket(_ record: SocketRecord) {
        counters.open -= 1
        note(.socket(record))
    }

    func recordRefusal(status: Int?, of socket: ServerSocket) {
        note(RefusalRecord(time: wallTime, status: status, peer: socket.peer))
    }

    private func note(_ refusal: RefusalRecord) {
        counters.refusals += 1
        note(.refusal(refusal))
    }

    private func note(_ entry: LedgerEntry) {
        if options.keepsEntries { entries.append(entry) }
        onEvent(.recorded(entry))
    }

    // MARK: Time

    func schedule(_ work: Deadlines.Work, in delay: Duration) {
        schedule(work, at: now.advanced(byNanoseconds: delay.inNanoseconds))
    }

    private func schedule(_ work: Deadlines.Work, at time: Instant) {
        deadlines.add(work, at: time)
        armTimer()
    }

    /// Moves the timer only if it has to fire earlier.
    private func armTimer() {
        guard let next = deadlines.next, next < timerTime ?? Instant(nanoseconds: .max) else { return }
        timerTime = next
        let delay = max(0, (next - now).inNanoseconds)
        timer.schedule(deadline: .now() + .nanoseconds(Int(delay)))
    }

    private func timeReached() {
        timerTime = nil
        let now = now
        while let work = deadlines.popDue(at: now) { perform(work) }
        armTimer()
    }

    private func perform(_ work: Deadlines.Work) {
        switch work {
        case .head(let id):
            guard let socket = sockets[id], case .head = socket.phase else { return }
            socket.refuse(Refusal(408, "the head of the request did not come in time"))
            socket.flush()
        case .closing(let id):
            guard let socket = sockets[id], case .closing = socket.phase else { return }
            socket.drop()
        case .lingering(let id):
            guard let socket = sockets[id], case .lingering = socket.phase else { return }
            socket.destroy()
        case .fate(let id, let fate): apply(fate, to: .one(id))
        case .turn: acceptWaiting()
        case .silentSockets: watchSilence()
        case .outageOver(let number): if number == outageNumber { comeUp() }
        case .acceptAgain: settle()
        }
    }

    /// A socket fell silent: from now on somebody has to look whether its client has given up.
    func didSilence() {
        guard !watchesSilence else { return }
        watchesSilence = true
        schedule(.silentSockets, in: .milliseconds(50))
    }

    private func watchSilence() {
        watchesSilence = false
        let silent = sockets.values.filter(\.isSilent)
        for socket in silent where socket.hasHungUp {
            socket.readRest()
            socket.lost()
        }
        if silent.contains(where: \.isSilent) { didSilence() }
    }
}
