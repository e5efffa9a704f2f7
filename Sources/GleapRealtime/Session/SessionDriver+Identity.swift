#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import SteadySocket

extension SessionDriver {
    // MARK: The store

    private var scope: String { "\(api.configuration.apiURL.absoluteString) \(api.configuration.apiKey)" }

    /// Takes over the stored identity, the first time only.
    func load() {
        guard !loaded else { return }
        loaded = true
        do {
            guard let data = try store.load(), let stored = try StoredIdentity.decode(data, scope: scope) else {
                return
            }
            session = stored.session
            told = stored.told
            publisher.set(session: session)
        } catch {
            storageFailed(error, "identity not readable")
        }
    }

    func save() {
        guard let session else { return }
        loaded = true
        do {
            try store.save(StoredIdentity(scope: scope, session: session, told: told).encoded())
        } catch {
            storageFailed(error, "identity not saved")
        }
    }

    /// Forgets who this is, here and in the store, and leaves the channel. What was under way is dropped.
    func forget() {
        dropCalls()
        session = nil
        told = [:]
        confirmed = false
        startError = nil
        loaded = true
        publisher.set(session: nil)
        do {
            try store.remove()
        } catch {
            storageFailed(error, "identity not removed")
        }
        wanted = nil
        askPending = false
        socket.disconnect()
    }

    private func storageFailed(_ error: any Error, _ message: String) {
        // The description of an unknown error could hold anything, so only its type is kept.
        let failure =
            error as? GleapError ?? GleapError(.storage, "the identity store failed", underlying: "\(type(of: error))")
        log(.info, message, ["error": failure.code.rawValue])
        publisher.publish(.storageFailed(failure))
    }

    // MARK: The channel

    /// Wants the channel of the session.
    func want() {
        guard running, let session else { return }
        do {
            wanted = try Channel(api.configuration.socketURL(for: session))
            askPending = true
        } catch {
            // The parts were checked when the configuration and the answer were.
            assertionFailure("a session without a channel")
        }
    }

    /// Asks for the wanted channel, unless an identify is about to yield another one.
    ///
    /// So a session start and an identify open one socket however slow the calls are. Only the first attempt at an identify
    /// is waited for, which the request timeout bounds; a socket that is open stays.
    func settleAsk() {
        guard let wanted else { return }
        guard identifyIsImminent else {
            if askPending { socket.connect(to: wanted) }
            askPending = false
            return
        }
        if !askPending, case .waiting(.quietWindow, _, _) = socket.status {
            socket.disconnect()
            askPending = true
        }
    }

    private var identifyIsImminent: Bool {
        guard running, call?.failures ?? 0 == 0 else { return false }
        if call?.operation == .identify { return true }
        return call != nil && pendingIdentify.map(changesSomething) ?? false
    }
}
