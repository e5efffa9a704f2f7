import ConnectionCore

/// A machine with times relative to now, attempts to the newest and what is past forgotten: what decides its future.
struct MachineKey: Hashable {
    var state: State
    var deadlines: Deadlines
    var asked: ChannelID?
    var app: AppState
    var network: NetworkPath
    var burstStart: Instant?
    var dueAt: Instant
    var dueReason: WaitReason
    var demands: [ConnectionMachine.ServerDemand]
    var stopped: DisconnectReason?
    var refreshNext: Bool
    var failures: Int
    var refusals: Int
    var budgetFullAt: Instant
    var hasBackgroundTime: Bool

    init(_ machine: ConnectionMachine, at now: Int64) {
        func relative(_ instant: Instant) -> Instant { Instant(nanoseconds: max(instant.nanoseconds, now) - now) }
        func attempt(_ attempt: AttemptID) -> AttemptID { AttemptID(attempt.number &- machine.lastAttempt.number) }
        state =
            switch machine.state {
            case .idle, .held: machine.state
            case .waiting(var waiting):
                {
                    waiting.since = .zero
                    waiting.until = relative(waiting.until)
                    return .waiting(waiting)
                }()
            case .opening(var opening):
                {
                    opening.attempt = attempt(opening.attempt)
                    return .opening(opening)
                }()
            case .open(var open):
                {
                    open.attempt = attempt(open.attempt)
                    // Beyond half a minute the age proves nothing more.
                    open.since = Instant(nanoseconds: min(now - open.since.nanoseconds, 30_000_000_000))
                    return .open(open)
                }()
            case .closing(var closing):
                {
                    closing.attempt = attempt(closing.attempt)
                    return .closing(closing)
                }()
            }
        deadlines = machine.deadlines
        deadlines.ask = deadlines.ask.map(relative)
        deadlines.opening = deadlines.opening.map(relative)
        deadlines.ping = deadlines.ping.map(relative)
        deadlines.pong = deadlines.pong.map(relative)
        deadlines.grace = deadlines.grace.map(relative)
        deadlines.closing = deadlines.closing.map(relative)
        asked = machine.asked
        app = machine.app
        network = machine.network
        burstStart = machine.burstStart.map { Instant(nanoseconds: $0.nanoseconds - now) }
        dueAt = relative(machine.dueAt)
        dueReason = dueAt == .zero ? .quietWindow : machine.dueReason
        demands = machine.demands.filter { $0.until.nanoseconds > now }
        for index in demands.indices { demands[index].until = relative(demands[index].until) }
        stopped = machine.stopped
        refreshNext = machine.refreshNext
        failures = Int(min(machine.failures, 6))
        refusals = Int(machine.refusals)
        budgetFullAt = relative(machine.budgetFullAt)
        hasBackgroundTime = machine.hasBackgroundTime
    }
}

extension ReferenceModel {
    /// The model with times relative to now and what is past forgotten.
    func relative(to now: Int64) -> ReferenceModel {
        var model = self
        func relative(_ pause: Pause) -> Pause? {
            guard pause.latest > now else { return nil }
            return Pause(earliest: max(0, pause.earliest - now), latest: pause.latest - now, reason: pause.reason)
        }
        model.attempts = 0
        model.failures = min(failures, 6)
        model.tokens = min(tokens + (now - tokensAt), numbers.burst * numbers.tokenEvery)
        model.tokensAt = 0
        model.burst = burst.map { Burst(began: $0.began - now, settles: $0.settles - now) }
        model.pause = pause.flatMap(relative)
        model.demands = demands.compactMapValues(relative)
        guard var socket else { return model }
        socket.attempt = attempts - socket.attempt
        socket.mustOpenBy -= now
        socket.openSince = socket.openSince.map { min(now - $0, numbers.provenAfter) }
        if socket.openSince != nil { socket.mustOpenBy = 0 }
        socket.nextPing = socket.nextPing.map { $0 - now }
        socket.question?.answerBy -= now
        socket.graceEnds = socket.graceEnds.map { $0 - now }
        socket.closing?.by -= now
        model.socket = socket
        return model
    }
}
