internal import Dispatch
internal import SteadySocket

/// The app as it was: it opens a socket at every session start and identify and drops the one before with a bare cancel,
/// tries again 5 s after every error, and does nothing when it goes to the background, where the system suspends it and
/// its socket dies.
///
/// `@unchecked Sendable` holds because every stored variable is touched on `queue` only.
final class OldApp: DemoApp, @unchecked Sendable {
    private let queue = DispatchQueue(label: "steady.demo.old")
    private let port: UInt16
    private let speed: Double
    private var user = DemoUser()
    private var asked: String?
    private var socket: BareSocket?
    private var running = false
    private var online = true
    /// Counts what makes a pending retry or suspension void.
    private var retry = 0
    private var suspension = 0

    /// Seconds from an error to the next try.
    private static let retryDelay = 5.0
    /// Seconds from entering the background to the suspension; the system allows about this much without a background
    /// task.
    private static let suspensionDelay = 6.0

    init(port: UInt16, speed: Double) {
        self.port = port
        self.speed = speed
    }

    func take(_ step: DemoScript.Step) {
        queue.async { self.handle(step) }
    }

    private func handle(_ step: DemoScript.Step) {
        if let name = user.asked(by: step) {
            asked = name
            connect()
            return
        }
        switch step {
        case .launch(let inBackground):
            running = true
            if inBackground { suspendSoon() }
        case .background: suspendSoon()
        case .foreground:
            suspension += 1
            guard !running else { return }
            running = true
            // The socket died during the suspension: the first thing the process hears is its error.
            tryAgainLater()
        case .terminate:
            suspend()
            asked = nil
        case .networkLost, .networkDead:
            online = false
            socket?.vanish()
            socket = nil
            tryAgainLater()
        case .networkBack: online = true
        case .sessionStart, .identify, .serverDown, .serverUp, .peerDies: break
        }
    }

    private func connect() {
        guard running else { return }
        retry += 1
        socket?.cancel()
        socket = nil
        guard online, let asked else { return tryAgainLater() }
        socket = BareSocket(port: port, target: "/?user=\(asked)", queue: queue) { [weak self] ended in
            guard let self, self.socket === ended else { return }
            self.socket = nil
            self.tryAgainLater()
        }
        if socket == nil { tryAgainLater() }
    }

    private func tryAgainLater() {
        retry += 1
        let mine = retry
        after(Self.retryDelay) { if $0.retry == mine { $0.connect() } }
    }

    private func suspendSoon() {
        suspension += 1
        let mine = suspension
        after(Self.suspensionDelay) { if $0.suspension == mine { $0.suspend() } }
    }

    private func suspend() {
        suspension += 1
        retry += 1
        running = false
        socket?.vanish()
        socket = nil
    }

    private func after(_ seconds: Double, _ body: @escaping @Sendable (OldApp) -> Void) {
        queue.asyncAfter(deadline: .now() + seconds / speed) { [weak self] in if let self { body(self) } }
    }
}
