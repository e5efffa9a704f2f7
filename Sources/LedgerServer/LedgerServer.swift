package import ConnectionCore
package import ConnectionLedger
internal import Dispatch

/// A WebSocket server that keeps a ledger: for every socket, when and why it closed. It echoes, and can be told to
/// misbehave in all the ways servers and networks do. No TLS.
///
/// Every method may be called from any thread. Commands return at once and happen in the order given; those that are
/// `async` return when the port is as asked. Releasing the server drops its connections.
package final class LedgerServer: Sendable {
    private let core: ServerCore
    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    /// - Parameter onEvent: called on the server's queue, one event at a time, in order; a socket's record comes as it
    ///   closes. It may call back into the server.
    package init(
        _ options: ServerOptions = ServerOptions(), behaviour: Behaviour = Behaviour(),
        onEvent: @escaping @Sendable (ServerEvent) -> Void = { _ in }
    ) {
        core = ServerCore(options, onEvent: onEvent)
        core.queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(core))
        core.behaviour = behaviour
    }

    deinit {
        command { $0.stop(.drop) }
    }

    /// Lets this process have as many sockets as the system allows it; many systems start it with 1,024 or fewer.
    package static func raiseDescriptorLimit() { Posix.raiseDescriptorLimit() }

    // MARK: Life

    /// Listens, and returns the port: `port`, or one the system chose if it is 0. Does nothing if the server is started.
    @discardableResult
    package func start(port: UInt16 = 0) throws(SystemError) -> UInt16 {
        let result: Result<UInt16, SystemError> = read { core in
            do throws(SystemError) {
                return .success(try core.start(port: port))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Gives the port up and closes every socket with `code`; returns when no connection is left, at the latest after
    /// the closing and the lingering timeout.
    package func stop(code: CloseCode = .goingAway, reason: String = "") async {
        await settled(.stopped) { $0.stop(.close(code, reason: reason)) }
    }

    /// Gives the port up and drops every connection without a Close frame.
    package func kill() async {
        await settled(.stopped) { $0.stop(.drop) }
    }

    /// Returns when the server has been stopped and no connection is left, whoever asks for it and whenever.
    package func stopped() async {
        await withCheckedContinuation { continuation in
            command { $0.await(ServerCore.Waiter(for: .stopped) { continuation.resume() }) }
        }
    }

    /// Does `fate` to every socket and stays down until `comeUp`. Returns when clients meet the outage.
    package func goDown(
        _ outage: Outage = .unreachable, ending fate: Fate = .close(.serviceRestart)
    ) async {
        await settled(.port) { $0.goDown(outage, ending: fate, for: nil) }
    }

    /// Ends an outage: listens on the same port as before. Returns when it does.
    package func comeUp() async {
        await settled(.port) { $0.comeUp() }
    }

    /// Does `fate` to every socket, stays down for `duration`, measured from now, and listens on the same port again.
    /// Another outage, `comeUp` or `stop` takes its place.
    package func restart(
        for duration: Duration, _ outage: Outage = .unreachable, ending fate: Fate = .close(.serviceRestart)
    ) {
        command { $0.goDown(outage, ending: fate, for: duration) }
    }

    // MARK: Misbehaviour

    /// Changes how the server treats sockets from now on.
    package func change(_ body: @escaping @Sendable (inout Behaviour) -> Void) {
        command { body(&$0.behaviour) }
    }

    /// Ends or silences open sockets.
    package func apply(_ fate: Fate, to selection: Selection = .all) {
        command { $0.apply(fate, to: selection) }
    }

    /// Sends a text message to open sockets.
    package func send(_ text: String, to selection: Selection = .all) {
        command { $0.send(text, to: selection) }
    }

    // MARK: What it saw

    /// The ledger so far, in the order of the endings.
    package var entries: [LedgerEntry] { read { $0.entries } }

    /// The sockets that have ended, in the order of their endings.
    package var records: [SocketRecord] { entries.compactMap(\.socket) }

    /// The connections that did not become a socket, in order.
    package var refusals: [RefusalRecord] { entries.compactMap(\.refusal) }

    package var counters: ServerCounters { read { $0.counters } }

    // MARK: Queue

    private func command(_ body: @escaping @Sendable (ServerCore) -> Void) {
        core.queue.async { [core] in body(core) }
    }

    private func read<Value: Sendable>(_ body: (ServerCore) -> Value) -> Value {
        let isOnQueue = DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(core)
        return isOnQueue ? body(core) : core.queue.sync { body(core) }
    }

    private func settled(
        _ aim: ServerCore.Waiter.Aim, _ body: @escaping @Sendable (ServerCore) -> Void
    ) async {
        await withCheckedContinuation { continuation in
            command { core in
                body(core)
                core.await(ServerCore.Waiter(for: aim) { continuation.resume() })
            }
        }
    }
}
