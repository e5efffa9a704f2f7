import ConnectionCore
import Dispatch
import Foundation
import Network
import SteadySocket
import SteadySocketTestKit
import SteadyTransport
import Testing
import UIKit

/// Every test here: they share the app object, the expiring activities and the path monitors of the process.
@Suite(.serialized) @MainActor struct AppleTests {}

/// Which queue the connection lives on.
enum Home: CaseIterable { case main, other }

/// A connection behind a real adapter, with the platform in the test's hands.
@MainActor final class AppleRig {
    let center = CountingCenter()
    let application = UIApplication()
    let time = ManualTime()
    let pathTime = ManualTime()
    let pathQueue = DispatchQueue(label: "path")
    let transport: ScriptedTransport
    let queue: DispatchQueue
    private let home: Home
    private(set) var socket: SteadySocket?
    /// Held here as well, so that what the connection stops is stopped by the connection, and not by their ends.
    private let lifecycle: NotificationLifecycle
    private let pathMonitor: SystemPathMonitor

    init(
        _ home: Home = .main, transport: ScriptedTransport = .friendly, launched: UIApplication.State = .active,
        app: ((any NotificationSource) -> any PlatformApp)? = nil, path: NWPath? = .wifi
    ) {
        self.home = home
        self.transport = transport
        queue = home == .main ? .main : DispatchQueue(label: "connection")
        application._fake.applicationState = launched
        NWPathMonitor._all._reset(path)
        lifecycle = NotificationLifecycle(
            app?(center) ?? UIKitApp(center: center) { [application] in application })
        pathMonitor = SystemPathMonitor(time: pathTime, queue: pathQueue)
        var options = Options()
        options.queue = queue
        options.transport = transport
        options.lifecycle = .custom(lifecycle)
        options.networkPath = path == nil ? .ignored : .monitor(pathMonitor)
        options.time = time
        options.generator = SeededGenerator(seed: 1)
        socket = SteadySocket(options: options)
    }

    var sockets: [ScriptedTransport.Socket] { transport.sockets }
    var status: ConnectionStatus? { socket?.status }
    var fake: UIKit._Fake { application._fake }
    var closeCodes: [CloseCode?] { sockets.map { $0.closed?.code } }

    /// Runs on the connection's queue, after everything that is on its way there.
    @discardableResult
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        switch home {
        case .main: try body()
        case .other: try queue.sync(execute: body)
        }
    }

    /// Waits for what is on its way from the path monitor to the connection. What runs on the queue of the path may put
    /// something there: a new monitor, which then reports its path.
    func settle() async {
        for _ in 0..<3 { pathQueue.sync {} }
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }

    func advance(_ duration: Duration) { run { time.advance(by: duration) } }
    func advancePath(_ duration: Duration) { pathQueue.sync { pathTime.advance(by: duration) } }

    func ask(_ url: String = "wss://example.com/chat") throws {
        let channel = try Channel(url)
        run { socket?.connect(to: channel) }
    }

    /// Asks and lets the quiet window pass.
    func open(_ url: String = "wss://example.com/chat") throws {
        try ask(url)
        advance(.milliseconds(1500))
    }

    func post(_ name: NSNotification.Name) {
        center.inner.post(name: name, object: nil)
        run {}
    }

    /// What UIKit posts on the way to the background.
    func enterBackground() {
        application._post(UIApplication.willResignActiveNotification, .inactive, in: center.inner)
        application._post(UIApplication.didEnterBackgroundNotification, .background, in: center.inner)
    }

    /// What UIKit posts on the way back.
    func enterForeground() {
        application._post(UIApplication.willEnterForegroundNotification, .inactive, in: center.inner)
        application._post(UIApplication.didBecomeActiveNotification, .active, in: center.inner)
        run {}
    }

    func release() {
        socket = nil
        run {}
    }
}

/// Counts the observers that were added and not removed. `@unchecked Sendable` holds because the counts are reached under
/// the lock alone, and notification centres may be used from any thread.
final class CountingCenter: NotificationSource, @unchecked Sendable {
    let inner = NotificationCenter()
    private let lock = NSLock()
    private var current: Set<ObjectIdentifier> = []
    private var all = 0

    /// How many observers are there.
    var observers: Int { lock.withLock { current.count } }
    /// How many were ever added.
    var added: Int { lock.withLock { all } }

    func addObserver(
        forName name: NSNotification.Name?, object: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        // With a queue, a post on the main thread waits for the main queue.
        precondition(queue == nil, "an observer of app life must have no queue")
        let token = inner.addObserver(forName: name, object: object, queue: nil, using: block)
        lock.withLock {
            _ = current.insert(ObjectIdentifier(token))
            all += 1
        }
        return token
    }

    func removeObserver(_ observer: Any) {
        inner.removeObserver(observer)
        lock.withLock { _ = current.remove(ObjectIdentifier(observer as AnyObject)) }
    }
}

extension NWPath {
    static let wifi = NWPath(
        _status: .satisfied, interfaces: [NWInterface(_type: .wifi, name: "en0", index: 5)])
    static let cellular = NWPath(
        _status: .satisfied, interfaces: [NWInterface(_type: .cellular, name: "pdp_ip0", index: 3)])
    static let none = NWPath(_status: .unsatisfied)
}
