import Dispatch
import Foundation
import GleapRealtime
import SteadySocket
import SteadySocketTestKit

/// A session on a queue of its own, with everything around it in the test's hands.
final class Rig {
    let queue = DispatchQueue(label: "gleap rig")
    let time = ManualTime()
    let transport: ScriptedTransport
    let lifecycle: ManualLifecycle
    let http = ScriptedHTTP()
    let store: any IdentityStore
    let log = Locked<[LogEntry]>([])
    let errors = Locked<[String]>([])
    private(set) var realtime: GleapRealtime?
    private let eventStream: AsyncStream<GleapEvent>

    init(
        store: any IdentityStore = MemoryIdentityStore(), app: AppState = .foreground,
        transport: ScriptedTransport = .friendly, change: (inout GleapConfiguration) -> Void = { _ in }
    ) throws {
        self.store = store
        self.transport = transport
        lifecycle = ManualLifecycle(app)
        var configuration = GleapConfiguration(apiKey: "key")
        configuration.apiURL = URL(string: "https://api.test/v1")!
        configuration.socketURL = URL(string: "wss://ws.test")!
        change(&configuration)
        var options = GleapOptions()
        options.http = http
        options.store = store
        options.connection.queue = queue
        options.connection.transport = transport
        options.connection.lifecycle = .custom(lifecycle)
        options.connection.networkPath = .ignored
        options.connection.time = time
        options.connection.generator = SeededGenerator(seed: 1)
        options.connection.log = { [log] entry in log.withLock { $0.append(entry) } }
        let realtime = try GleapRealtime(configuration, options: options)
        eventStream = realtime.events
        self.realtime = realtime
        queue.sync {}
    }

    var sockets: [ScriptedTransport.Socket] { transport.sockets }
    var urls: [String] { sockets.map(\.request.url.absoluteString) }
    var state: SessionState? { realtime?.status.session }

    func on(_ body: (GleapRealtime) throws -> Void) rethrows {
        try queue.sync { if let realtime { try body(realtime) } }
    }

    func advance(_ duration: Duration) { queue.sync { time.advance(by: duration) } }

    /// Answers the newest call.
    func answer(_ status: Int = 200, _ body: String, retryAfter: String? = nil) {
        queue.sync {
            http.exchanges.last?.complete(
                .success(HTTPAnswer(status: status, retryAfter: retryAfter, body: Data(body.utf8))))
        }
    }

    func answer(contact number: Int, user: String? = nil) { answer(200, Self.contact(number, user: user)) }

    static func contact(_ number: Int, user: String? = nil) -> String {
        let user = user.map { #","userId":"\#($0)""# } ?? ""
        return #"{"gleapId":"id\#(number)","gleapHash":"hash\#(number)"\#(user)}"#
    }

    static func url(_ number: Int) -> String {
        "wss://ws.test?gleapId=id\(number)&gleapHash=hash\(number)&apiKey=key&sdkVersion=1.0"
    }

    /// Starts as a guest, contact 1, and waits for the socket.
    func startAsGuest() {
        on { $0.start() }
        answer(contact: 1)
        advance(.milliseconds(1500))
    }

    func release() {
        realtime = nil
        queue.sync {}
    }

    /// Ends the session and returns everything that happened to it.
    func events() async -> [GleapEvent] {
        release()
        var all: [GleapEvent] = []
        for await event in eventStream { all.append(event) }
        return all
    }
}

extension [GleapEvent] {
    /// What was given up, in order.
    var failures: [GleapError.Code] {
        compactMap { if case .failed(_, let error) = $0 { error.code } else { nil } }
    }

    var storageFailures: Int { count { if case .storageFailed = $0 { true } else { false } } }
}
