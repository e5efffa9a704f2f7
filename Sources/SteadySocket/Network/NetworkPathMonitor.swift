public import ConnectionCore

/// Watches the way to the network and reports it as a `NetworkPath`.
///
/// Every method returns soon and may be called from any thread. A monitor reports facts and decides nothing: whether
/// `.offline` keeps an attempt from being made is the decision of the connection, which knows the host. A host on
/// loopback is reachable without any route out, so the connection must not hold an attempt to such a host for
/// `.offline`.
public protocol NetworkPathMonitor: AnyObject, Sendable {
    /// Starts watching. `report` gets the current path soon after this call, then every path that differs from the one
    /// before it.
    ///
    /// Reports come one at a time, in order, on a thread of the monitor's choice; `report` should return quickly.
    /// Called again, it watches anew with the new `report`, and the old one gets nothing more once the new one has been
    /// called. A stopped monitor can be started again.
    func start(_ report: @escaping @Sendable (NetworkPath) -> Void)

    /// Looks at the path afresh and reports it, even if it is the one already reported.
    ///
    /// For the return to the foreground: a process that was suspended missed what happened meanwhile and can hold a
    /// stale path. Does nothing unless the monitor is started.
    func restart()

    /// Stops watching and gives the system's resources back. After it returns, `report` is not called any more.
    ///
    /// To keep that promise it waits for a report that is under way on another thread. `report` itself may call it; but
    /// a caller must not hold a lock for which `report` waits.
    func stop()
}
