#if canImport(Network)
package import ConnectionCore
package import Dispatch
import Network

/// The network path of an Apple device, from `NWPathMonitor`.
///
/// A path counts as offline only when it has been unsatisfied for `offlineDwell` without a break: on the way from one
/// network to the next, and while a VPN starts, there are moments without any. A path that needs a connection attempt to
/// come up (`requiresConnection`) is online, for an attempt is what makes it so. The fingerprint covers the interfaces in
/// the system's order of preference, their gateways, and whether they are expensive or constrained; it says nothing in
/// another process.
// Every stored variable is read and written on `home.queue` only.
package final class SystemPathMonitor: NetworkPathMonitor, @unchecked Sendable {
    /// For how long a path must have been unsatisfied to be believed offline.
    package static let offlineDwell = Duration.seconds(1)

    private let home: Confinement
    private let time: any TimeSource
    private var report: (@Sendable (NetworkPath) -> Void)?
    private var monitor: NWPathMonitor?
    private var reported: NetworkPath?
    private var wakeUp: (any WakeUp)?
    /// When the path is believed offline; nil while it is not unsatisfied.
    private var offlineAt: Instant?
    /// Counts the monitors: what a cancelled one had still to say is void.
    private var period = 0

    /// Makes a monitor that does nothing until it is started. Nothing else may run on `queue` for long.
    package init(
        time: any TimeSource = SystemTime(),
        queue: DispatchQueue = DispatchQueue(label: "SteadySocket.SystemPathMonitor")
    ) {
        self.time = time
        home = Confinement(queue)
    }

    deinit { monitor?.cancel() }

    package func start(_ report: @escaping @Sendable (NetworkPath) -> Void) {
        home.queue.async {
            self.close()
            self.report = report
            self.open()
        }
    }

    /// A monitor can be started once, and one of a process that was suspended can go on telling the path of before. So
    /// another one is made.
    package func restart() {
        home.queue.async {
            guard self.report != nil else { return }
            self.close()
            self.open()
        }
    }

    package func stop() {
        if home.isCurrent { forget() } else { home.queue.sync { forget() } }
    }

    private func forget() {
        close()
        report = nil
    }

    private func open() {
        let monitor = NWPathMonitor()
        self.monitor = monitor
        monitor.pathUpdateHandler = { [weak self, period] path in self?.updated(path, in: period) }
        monitor.start(queue: home.queue)
    }

    private func close() {
        monitor?.cancel()
        monitor = nil
        wakeUp?.disarm()
        wakeUp = nil
        offlineAt = nil
        reported = nil
        period += 1
    }

    private func updated(_ path: NWPath, in period: Int) {
        guard period == self.period else { return }
        guard path.status == .unsatisfied else {
            offlineAt = nil
            wakeUp?.disarm()
            return say(.online(fingerprint: Self.fingerprint(of: path)))
        }
        // The dwell counts from the first of the updates.
        guard offlineAt == nil else { return }
        let due = time.now + Self.offlineDwell
        offlineAt = due
        if wakeUp == nil {
            wakeUp = time.makeWakeUp(on: home.queue) { [weak self, period] in self?.woke(in: period) }
        }
        wakeUp?.arm(at: due)
    }

    private func woke(in period: Int) {
        guard period == self.period, let due = offlineAt else { return }
        // Timers may be early.
        if time.now >= due { say(.offline) } else { wakeUp?.arm(at: due) }
    }

    private func say(_ path: NetworkPath) {
        guard path != reported else { return }
        reported = path
        report?(path)
    }

    private static func fingerprint(of path: NWPath) -> UInt64 {
        var hasher = Hasher()
        for interface in path.availableInterfaces {
            hasher.combine(interface.name)
            hasher.combine(interface.index)
            hasher.combine(interface.type)
        }
        hasher.combine(path.gateways)
        hasher.combine(path.isExpensive)
        hasher.combine(path.isConstrained)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
#endif
