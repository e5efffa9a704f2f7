/// Tells a connection where the app is, and gets it time to say goodbye in the background.
///
/// The methods are called on the connection's queue; reports may come from any thread.
public protocol AppLifecycle: AnyObject, Sendable {
    /// Starts reporting. The state at the start is reported too, unless it is the foreground; until the report comes the
    /// app counts as in the foreground.
    func start(_ report: @escaping @Sendable (AppState) -> Void)

    /// Stops reporting and gives background time back.
    func stop()

    /// Asks the system for time in the background. `expired` is called when the system wants it back; the connection then
    /// closes its socket and calls `endBackgroundTime` before `expired` returns, if it is called on the connection's queue.
    func beginBackgroundTime(expired: @escaping @Sendable () -> Void)

    /// Gives the time back. Called once for each `beginBackgroundTime`.
    func endBackgroundTime()
}
