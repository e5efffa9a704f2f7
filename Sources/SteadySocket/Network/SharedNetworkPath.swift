import ConnectionCore
import Dispatch

/// One watch of the system's network path for all connections of the process, which may be thousands.
///
/// Each connection has a value of its own; the watch behind them runs as long as one of them is started.
final class SharedNetworkPath: NetworkPathMonitor {
    private let watch: Watch
    private let id: UInt64

    init(_ watch: Watch) {
        self.watch = watch
        id = watch.nextID.withLock { next in
            next += 1
            return next
        }
    }

    deinit { watch.remove(id) }

    func start(_ report: @escaping @Sendable (NetworkPath) -> Void) { watch.add(id, report) }
    func restart() { watch.restart() }
    func stop() { watch.remove(id) }

    /// The watch and those who listen to it.
    ///
    /// `@unchecked Sendable` holds because every stored variable is touched on `home.queue` only.
    final class Watch: @unchecked Sendable {
        fileprivate let nextID = Locked<UInt64>(0)
        private let home = Confinement(DispatchQueue(label: "SteadySocket.networkPath"))
        private let make: @Sendable () -> any NetworkPathMonitor
        private var monitor: (any NetworkPathMonitor)?
        private var listeners: [UInt64: @Sendable (NetworkPath) -> Void] = [:]
        private var latest: NetworkPath?
        /// Counts the monitors, so that what a stopped one had still to say is recognised.
        private var period = 0

        /// `make` is called whenever the first listener comes.
        init(_ make: @escaping @Sendable () -> any NetworkPathMonitor) { self.make = make }

        fileprivate func add(_ id: UInt64, _ report: @escaping @Sendable (NetworkPath) -> Void) {
            home.queue.async { [self] in
                listeners[id] = report
                if let latest { report(latest) }
                guard monitor == nil else { return }
                let monitor = make()
                self.monitor = monitor
                period += 1
                monitor.start { [home, weak self, period] path in
                    home.queue.async { [weak self] in self?.changed(to: path, in: period) }
                }
            }
        }

        fileprivate func restart() { home.queue.async { self.monitor?.restart() } }

        /// After it returns, the listener is not called any more.
        fileprivate func remove(_ id: UInt64) {
            // A listener may remove itself, and its last reference may go here.
            if home.isCurrent { removeHere(id) } else { home.queue.sync { removeHere(id) } }
        }

        private func removeHere(_ id: UInt64) {
            guard listeners.removeValue(forKey: id) != nil, listeners.isEmpty else { return }
            monitor?.stop()
            monitor = nil
            latest = nil
        }

        private func changed(to path: NetworkPath, in period: Int) {
            guard monitor != nil, period == self.period else { return }
            latest = path
            for report in listeners.values { report(path) }
        }
    }
}
