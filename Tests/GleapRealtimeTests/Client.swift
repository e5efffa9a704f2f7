import Dispatch
import Foundation
import GleapRealtime
import PeerSupport
import SteadySocket

/// A session with URLSession and libcurl against the stand-in for the service, with short waits.
final class Client {
    let realtime: GleapRealtime
    let lifecycle: ManualLifecycle
    let log = Locked<[LogEntry]>([])
    private let events: AsyncStream<GleapEvent>

    init(
        _ service: GleapService, store: any IdentityStore = MemoryIdentityStore(), app: AppState = .foreground,
        change: (inout GleapConfiguration) -> Void = { _ in }
    ) throws {
        lifecycle = ManualLifecycle(app)
        var configuration = GleapConfiguration(apiKey: GleapService.apiKey)
        configuration.apiURL = service.apiURL
        configuration.socketURL = service.socketURL
        configuration.connection.askQuietWindow = .milliseconds(50)
        configuration.connection.foregroundDebounce = .milliseconds(10)
        configuration.connection.backoff.initial = .milliseconds(20)
        change(&configuration)
        var options = GleapOptions()
        options.store = store
        options.connection.queue = DispatchQueue(label: "gleap client")
        options.connection.lifecycle = .custom(lifecycle)
        options.connection.networkPath = .ignored
        options.connection.log = { [log] entry in log.withLock { $0.append(entry) } }
        realtime = try GleapRealtime(configuration, options: options)
        events = realtime.events
    }

    /// The next event that matches. Those before it are passed over.
    func next(_ what: String, where matches: @escaping @Sendable (GleapEvent) -> Bool) async throws -> GleapEvent {
        let events = events
        return try await withWatchdog(what) {
            for await event in events where matches(event) { return event }
            throw CancellationError()
        }
    }

    /// Waits until the service has answered this.
    @discardableResult
    func answered(_ operation: GleapOperation) async throws -> GleapSession {
        let event = try await next("the answer to \(operation)") {
            if case .answered(operation, _) = $0 { true } else { false }
        }
        guard case .answered(_, let session) = event else { throw CancellationError() }
        return session
    }

    /// Why the next operation is given up.
    func failed() async throws -> GleapError {
        let event = try await next("a failure") { if case .failed = $0 { true } else { false } }
        guard case .failed(_, let error) = event else { throw CancellationError() }
        return error
    }

    /// Why the next operation is tried again, and after which delay.
    func waiting() async throws -> (error: GleapError, delay: Duration) {
        let event = try await next("a wait") { if case .stateChanged(.waiting) = $0 { true } else { false } }
        guard case .stateChanged(.waiting(_, let error, let delay, _)) = event else { throw CancellationError() }
        return (error, delay)
    }

    /// Sends an update through the open socket and waits for it, which proves that the socket works.
    func roundTrip(_ service: GleapService, _ number: Int) async throws {
        let updates = realtime.updates
        try await service.sendAll(#"{"name":"update","data":\#(number)}"#)
        try await withWatchdog("update \(number)") {
            for await update in updates where update == .number(Double(number)) { return }
            throw CancellationError()
        }
    }
}
