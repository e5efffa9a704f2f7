public import ConnectionCore

/// Tells a connection where the app is, and gets it time to say goodbye in the background.
///
/// A lifecycle serves one connection. `start` is called on the thread that makes the connection, the other methods on the
/// connection's queue; reports may come from any thread.
public protocol AppLifecycle: AnyObject, Sendable {
    /// Starts reporting. The state at the start is reported too, unless it is the foreground; until the report comes the
    /// app counts as in the foreground.
    ///
    /// A report of `.background` from the main thread has taken effect when `report` returns: background time has been
    /// asked for by then. Every other report may take effect later. Repeated reports are harmless; each `.foreground`
    /// makes the connection look at the network path afresh.
    func start(_ report: @escaping @Sendable (AppState) -> Void)

    /// Stops reporting and gives background time back.
    func stop()

    /// Asks the system for time in the background. `expired` is called when the system wants it back, or does not give any,
    /// on any thread, and at once if need be. Before `expired` returns, the connection has ordered the Close frame (1001)
    /// and called `endBackgroundTime`; if it is called within `beginBackgroundTime`, that happens right after it. The
    /// connection's queue must not wait for the thread that calls it.
    func beginBackgroundTime(expired: @escaping @Sendable () -> Void)

    /// Gives the time back. Called once for each `beginBackgroundTime`.
    func endBackgroundTime()
}
