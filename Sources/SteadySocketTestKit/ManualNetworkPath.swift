public import ConnectionCore
public import SteadySocket

/// A network path that a test sets.
public final class ManualNetworkPath: NetworkPathMonitor {
    private struct Inner {
        var path: NetworkPath
        var report: (@Sendable (NetworkPath) -> Void)?
        var restarts = 0
    }

    private let inner: Locked<Inner>

    /// Makes a monitor that reports `path` when it is started.
    public init(_ path: NetworkPath = .online(fingerprint: 1)) { inner = Locked(Inner(path: path)) }

    /// The path. Setting it reports the change; any thread.
    public var path: NetworkPath {
        get { inner.withLock { $0.path } }
        set {
            let report = inner.withLock { inner in
                inner.path = newValue
                return inner.report
            }
            report?(newValue)
        }
    }

    /// How often `restart` was called.
    public var restarts: Int { inner.withLock { $0.restarts } }

    /// Whether it was started and not stopped.
    public var isStarted: Bool { inner.withLock { $0.report != nil } }

    /// Starts reporting.
    public func start(_ report: @escaping @Sendable (NetworkPath) -> Void) {
        let path = inner.withLock { inner in
            inner.report = report
            return inner.path
        }
        report(path)
    }

    /// Reports the path again.
    public func restart() {
        let (path, report) = inner.withLock { inner in
            inner.restarts += 1
            return (inner.path, inner.report)
        }
        report?(path)
    }

    /// Stops reporting.
    public func stop() { inner.withLock { $0.report = nil } }
}
