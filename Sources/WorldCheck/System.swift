internal import ConnectionCore
internal import Dispatch
internal import SteadySocket
internal import SteadyTransport

/// The clock of a world.
struct WorldTime: TimeSource {
    let world: World

    var now: Instant { Instant(nanoseconds: world.now) }

    func makeWakeUp(on queue: DispatchQueue, fire: @escaping @Sendable () -> Void) -> any WakeUp {
        Timer(world: world, fire: fire)
    }

    private final class Timer: WakeUp {
        let world: World
        let fire: @Sendable () -> Void

        init(world: World, fire: @escaping @Sendable () -> Void) {
            self.world = world
            self.fire = fire
        }

        func arm(at instant: Instant) { world.arm(at: instant.nanoseconds, fire) }
        func disarm() { world.disarm() }
    }
}

/// The app's life in a world, and the system that grants it time.
///
/// `@unchecked Sendable` holds because it is used on the queue of its world alone.
final class WorldApp: AppLifecycle, @unchecked Sendable {
    weak var world: World?
    private(set) var inBackground: Bool
    private var report: (@Sendable (AppState) -> Void)?
    private var expired: (@Sendable () -> Void)?

    init(inBackground: Bool) { self.inBackground = inBackground }

    var isStarted: Bool { report != nil }

    func start(_ report: @escaping @Sendable (AppState) -> Void) {
        self.report = report
        if inBackground { report(.background) }
    }

    func stop() {
        report = nil
        expired = nil
    }

    func move(toBackground: Bool) {
        guard let world, let report else { return }
        inBackground = toBackground
        world.tell(toBackground ? "background" : "foreground") {
            world.judge.toldApp(foreground: !toBackground)
            report(toBackground ? .background : .foreground)
        }
    }

    func beginBackgroundTime(expired: @escaping @Sendable () -> Void) {
        guard let world else { return }
        world.note("← begin background time")
        world.judge.beginsBackgroundTime()
        self.expired = expired
        if world.generous { return }
        var draws = world.dice.sequence(.system, UInt64(bitPattern: world.now))
        if draws.happens(percent: 5) { return expire() }
        let budget = Int64(3 + draws.below(28)) * Happening.second
        let began = world.now
        world.plan(after: budget, .system) {
            if world.judge.holdsTime, world.judge.backgroundSince == began { world.expireBackgroundTime() }
        }
    }

    func endBackgroundTime() {
        guard let world else { return }
        world.note("← end background time")
        world.judge.endsBackgroundTime()
        expired = nil
    }

    /// The system wants the time back.
    func expire() {
        guard let world, let expired else { return }
        world.judge.expired = true
        expired()
    }
}

/// What a world says about its network.
///
/// `@unchecked Sendable` holds because it is used on the queue of its world alone.
final class WorldPath: NetworkPathMonitor, @unchecked Sendable {
    weak var world: World?
    private var report: (@Sendable (NetworkPath) -> Void)?

    var isStarted: Bool { report != nil }

    func start(_ report: @escaping @Sendable (NetworkPath) -> Void) {
        self.report = report
        restart()
    }

    func restart() {
        // The first look takes a moment.
        world?.plan(after: Happening.second / 20, .system) { self.look() }
    }

    func stop() { report = nil }

    func look() {
        guard let world, let report else { return }
        let path: NetworkPath =
            switch world.route {
            case .offline: .offline
            case .wifi: .online(fingerprint: 1)
            case .cellular: .online(fingerprint: 2)
            }
        world.tell("path \(world.route.rawValue)") {
            world.judge.toldPath(path)
            report(path)
        }
    }
}

/// The network and the server of a world.
struct WorldTransport: Transport {
    let world: World

    func open(
        _ request: ConnectionRequest, attempt: AttemptID, limits: TransportLimits,
        report: @escaping @Sendable (TransportFact) -> Void
    ) -> any TransportSocket {
        let socket = WorldSocket(world: world, attempt: attempt, channel: Channel(request).id, report: report)
        world.note("← open \(attempt.number) for \(World.name(socket.channel))")
        world.judge.opens(attempt, socket.channel)
        world.sockets.append(socket)
        socket.begin()
        return socket
    }
}

extension World {
    func expireBackgroundTime() {
        guard judge.holdsTime else { return }
        tell("background time expires") {
            app.expire()
            judge.require(
                !judge.holdsTime && judge.live?.closingAt != nil || judge.live == nil,
                .expiry, "\(judge.holdsTime ? "time kept" : "no close")")
        }
    }
}
