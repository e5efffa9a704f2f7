internal import ConnectionCore
internal import Dispatch
internal import SteadySocket
internal import SteadySocketTestKit
internal import SteadyTransport

/// A connection of the shipping library, and everything around it: the clock, the app, the system, the network and the
/// server, all of which follow a script and a seed.
///
/// `@unchecked Sendable` holds because a world is made, run and dropped on one serial queue, which is the connection's.
final class World: @unchecked Sendable {
    /// Something on its way to the connection, or something the world does by itself.
    struct Due {
        let at: Int64
        /// Things of one source keep their order; things of different sources that are due together come in any order.
        let source: Source
        /// The process must run for it to happen.
        let needsProcess: Bool
        let happens: () -> Void
    }

    enum Source: Hashable {
        case wakeUp, system
        case toServer(UInt64)
        case fromServer(UInt64)
        /// Timers at either end; these have no order.
        case timers

        var keepsOrder: Bool {
            switch self {
            case .toServer, .fromServer: true
            case .wakeUp, .system, .timers: false
            }
        }
    }

    let dice: Dice
    let script: [Happening]
    let judge: Judge
    private(set) var now: Int64 = 0
    var agenda: [Due] = []
    private var nextInScript = 0
    var asleepUntil: Int64 = 0
    /// The process did not run for a while, so nobody could hear the peer.
    var excuseDue = false
    var depth = 0
    /// Choices and steps at this instant.
    private var decided: UInt64 = 0
    private var stepsNow = 0

    // What the connection has of this world.
    var connection: SteadySocket?
    var messages: Messages?
    let app: WorldApp
    let monitor: WorldPath
    /// When the connection's wake-up is set for; the wake-up itself may come late.
    var timer: Int64?
    var fire: (@Sendable () -> Void)?
    /// The deadline for which the wake-up came too early, once.
    private var earlyFor: Int64?

    // The rest of the world.
    var server = Happening.Server.up
    var route = Happening.Route.wifi
    var sockets: [WorldSocket] = []
    var closesSeen: [UInt16] = []
    var readerOn = true
    var unread = Unread()
    var sends = Sends()
    /// The answers come soon from now on.
    var good = false
    /// The system gives all the background time it is asked for.
    var generous = false
    private(set) var steps = 0
    /// What happened, for people; nil if nobody wants to read it.
    let trace: ((String) -> Void)?
    var lastNoted: ConnectionStatus?

    static let places: [Happening.Place: Channel] = {
        let urls: [(Happening.Place, String)] = [
            (.a, "wss://one.example/a?x=1&y=2"), (.b, "wss://one.example/b"), (.far, "wss://two.example/c"),
            (.near, "ws://localhost:8080/d"),
        ]
        // The addresses are written here and right.
        return Dictionary(uniqueKeysWithValues: urls.map { place, url in (place, try! Channel(url)) })
    }()
    static let names = Dictionary(uniqueKeysWithValues: places.map { ($1.id, $0) })

    init(seed: UInt64, script: [Happening], queue: DispatchQueue, trace: ((String) -> Void)? = nil) {
        dice = Dice(seed: seed)
        self.script = script
        var draws = dice.sequence(.world)
        let stormSafe = draws.happens(percent: 50)
        let launchedIntoBackground = draws.happens(percent: 10)
        judge = Judge(isStormSafe: stormSafe)
        app = WorldApp(inBackground: launchedIntoBackground)
        monitor = WorldPath()
        self.trace = trace
        app.world = self
        monitor.world = self
        judge.toldApp(foreground: !launchedIntoBackground)
        var options = Options()
        options.queue = queue
        options.transport = WorldTransport(world: self)
        options.lifecycle = .custom(app)
        options.networkPath = .monitor(monitor)
        options.time = WorldTime(world: self)
        options.generator = dice.sequence(.policy)
        options.messageWindow = Self.messageWindow
        options.waitingMessages = Self.waitingMessages
        options.decisionLogCapacity = 0
        options.log = { [weak self] in self?.logged($0) }
        connection = SteadySocket(configuration: stormSafe ? .stormSafe : .standard, options: options)
        messages = connection?.messages
    }

    static let messageWindow = 4
    static let waitingMessages = 4

    /// The script, then a world that turns good.
    func live() {
        let last = script.last?.at ?? 0
        while nextInScript < script.count, judge.violation == nil { run(until: max(last, now)) }
        // The last sleep comes to its end, and all that waits for it happens.
        run(until: max(now, asleepUntil))
        if judge.violation == nil { finish() }
    }

    // MARK: time

    /// Does the next thing; false if nothing is left to do before `end`.
    private func step(until end: Int64) -> Bool {
        guard judge.violation == nil, let due = takeNext(until: end) else { return false }
        steps += 1
        due()
        stepsNow += 1
        judge.require(stepsNow < 10_000, .timeGoesOn, "\(stepsNow) steps at one instant")
        return true
    }

    /// Runs until `end`, or until `done` says so or a rule is broken.
    func run(until end: Int64, done: () -> Bool = { false }) {
        while !done(), step(until: end) {}
        if judge.violation == nil, !done() { move(to: end) }
    }

    private func move(to time: Int64) {
        guard time > now else { return }
        now = time
        judge.now = now
        stepsNow = 0
        decided = 0
    }

    /// The next thing to happen. What is due at the same instant happens in an order that the seed decides.
    private func takeNext(until end: Int64) -> (() -> Void)? {
        func start(_ due: Due) -> Int64 { max(due.at, due.needsProcess ? asleepUntil : 0, now) }
        var first = end &+ 1
        for due in agenda { first = min(first, start(due)) }
        if nextInScript < script.count { first = min(first, max(script[nextInScript].at, now)) }
        guard first <= end else { return nil }
        var seen: Set<Source> = []
        var candidates: [Int] = []
        for (index, due) in agenda.enumerated() {
            if due.source.keepsOrder, !seen.insert(due.source).inserted { continue }
            if start(due) == first { candidates.append(index) }
        }
        let scriptIsDue = nextInScript < script.count && max(script[nextInScript].at, now) == first
        move(to: first)
        decided &+= 1
        let count = candidates.count + (scriptIsDue ? 1 : 0)
        let choice = count > 1 ? dice.below(count, .order, UInt64(bitPattern: first) &+ decided) : 0
        guard choice < candidates.count else {
            nextInScript += 1
            let what = script[nextInScript - 1].what
            return { self.happen(what) }
        }
        return agenda.remove(at: candidates[choice]).happens
    }

    /// Plans something. Things of one source keep their order.
    func plan(
        after delay: Int64, _ source: Source, needsProcess: Bool = true, _ happens: @escaping () -> Void
    ) {
        var at = now + delay
        if source.keepsOrder, let last = agenda.last(where: { $0.source == source }) { at = max(at, last.at) }
        agenda.append(Due(at: at, source: source, needsProcess: needsProcess, happens: happens))
    }

    func sleep(_ length: Int64) {
        asleepUntil = max(asleepUntil, now + length)
        excuseDue = true
    }

    var isAsleep: Bool { now < asleepUntil }

    func jump(_ length: Int64) {
        move(to: now + length)
        excuseDue = true
    }

    // MARK: the connection's wake-up

    func arm(at time: Int64, _ fire: @escaping @Sendable () -> Void) {
        timer = time
        self.fire = fire
        agenda.removeAll { $0.source == .wakeUp }
        var late = dice.sequence(.wakeUp, UInt64(bitPattern: time))
        // Leeway of the system's timers; a few come too early.
        let lateness = late.happens(percent: 70) ? 0 : Int64(late.below(8)) * Happening.second / 4
        let early = late.happens(percent: 3) && time != earlyFor
        if early { earlyFor = time }
        let delay = max(0, time - now)
        plan(after: early ? delay / 2 : delay + lateness, .wakeUp) { self.wake() }
    }

    func disarm() {
        timer = nil
        agenda.removeAll { $0.source == .wakeUp }
    }

    func wake() {
        guard timer != nil, let fire else { return }
        agenda.removeAll { $0.source == .wakeUp }
        tell("wake-up") {
            self.timer = nil
            fire()
        }
        if let overdue = sends.overdue(at: now) {
            judge.object(.sendTime, "message \(overdue)")
        }
    }
}
