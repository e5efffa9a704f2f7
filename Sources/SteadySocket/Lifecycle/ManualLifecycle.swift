public import ConnectionCore

/// A lifecycle that its owner drives: for hosts without an app life of their own, and for tests.
public final class ManualLifecycle: AppLifecycle {
    private struct Inner {
        var state: AppState
        var report: (@Sendable (AppState) -> Void)?
        var expired: (@Sendable () -> Void)?
    }

    private let inner: Locked<Inner>

    /// Makes a lifecycle that starts in `state`; `.background` stands for an app launched into the background.
    public init(_ state: AppState = .foreground) { inner = Locked(Inner(state: state)) }

    /// Where the app is. Setting it reports the change; any thread.
    public var state: AppState {
        get { inner.withLock { $0.state } }
        set {
            let report = inner.withLock { inner in
                inner.state = newValue
                return inner.report
            }
            report?(newValue)
        }
    }

    /// Whether background time was asked for and not given back.
    public var holdsBackgroundTime: Bool { inner.withLock { $0.expired != nil } }

    /// Plays the system that wants the background time back. Any thread.
    public func expireBackgroundTime() { inner.withLock { $0.expired }?() }

    /// Starts reporting.
    public func start(_ report: @escaping @Sendable (AppState) -> Void) {
        let state = inner.withLock { inner in
            inner.report = report
            return inner.state
        }
        if state == .background { report(state) }
    }

    /// Stops reporting.
    public func stop() {
        inner.withLock { inner in
            inner.report = nil
            inner.expired = nil
        }
    }

    /// Remembers the handler for `expireBackgroundTime`.
    public func beginBackgroundTime(expired: @escaping @Sendable () -> Void) { inner.withLock { $0.expired = expired } }

    /// Forgets the handler.
    public func endBackgroundTime() { inner.withLock { $0.expired = nil } }
}
