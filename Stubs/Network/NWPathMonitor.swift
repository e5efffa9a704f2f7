public import Dispatch
import Foundation

/// https://developer.apple.com/documentation/network/nwpathmonitor
///
/// `@unchecked Sendable` holds because the stored variables are reached under the lock alone.
public final class NWPathMonitor: @unchecked Sendable {
    private let lock = NSLock()
    private var handler: (@Sendable (NWPath) -> Void)?
    private var started: DispatchQueue?
    private var cancelled = false

    /// https://developer.apple.com/documentation/network/nwpathmonitor/init()
    public init() { Self._all.add(self) }

    /// https://developer.apple.com/documentation/network/nwpathmonitor/pathupdatehandler
    @preconcurrency public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { lock.withLock { handler } }
        set { lock.withLock { handler = newValue } }
    }

    /// https://developer.apple.com/documentation/network/nwpathmonitor/start(queue:)
    ///
    /// "If you have already cancelled a path monitor, it cannot be restarted": a trap here.
    public func start(queue: DispatchQueue) {
        lock.withLock {
            precondition(started == nil && !cancelled, "a path monitor starts once")
            started = queue
        }
        if let path = Self._all.path { _update(path) }
    }

    /// https://developer.apple.com/documentation/network/nwpathmonitor/cancel()
    public func cancel() { lock.withLock { cancelled = true } }

    /// Whether it was cancelled.
    public var _isCancelled: Bool { lock.withLock { cancelled } }

    /// Reports a path. Updates that were under way when a monitor is cancelled still arrive, which is the worst case.
    public func _update(_ path: NWPath) {
        let (queue, handler) = lock.withLock { (self.started, self.handler) }
        queue?.async { handler?(path) }
    }

    /// The monitors of the process.
    public static let _all = _Monitors()

    /// `@unchecked Sendable` holds because the stored variables are reached under the lock alone.
    public final class _Monitors: @unchecked Sendable {
        private struct Weak { weak var monitor: NWPathMonitor? }
        private let lock = NSLock()
        private var monitors: [Weak] = []
        private var current: NWPath?

        func add(_ monitor: NWPathMonitor) { lock.withLock { monitors.append(Weak(monitor: monitor)) } }

        /// Forgets the monitors so far; new ones report `path` when they start.
        public func _reset(_ path: NWPath?) {
            lock.withLock {
                monitors = []
                current = path
            }
        }
        /// What a monitor reports when it starts.
        public var path: NWPath? { lock.withLock { current } }
        /// Those that were made, nil for those that are gone.
        public var made: [NWPathMonitor?] { lock.withLock { monitors.map(\.monitor) } }
        /// Those that were neither cancelled nor let go.
        public var live: [NWPathMonitor] { made.compactMap { $0 }.filter { !$0._isCancelled } }
    }
}
