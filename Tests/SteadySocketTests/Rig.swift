import Dispatch
import SteadySocket
import SteadySocketTestKit
import Testing

/// A connection on a queue of its own, with everything around it in the test's hands.
///
/// `on` runs on the queue, where calls into the connection take effect at once: tests read like a script.
final class Rig {
    let queue = DispatchQueue(label: "rig")
    let time = ManualTime()
    let transport: ScriptedTransport
    let lifecycle: ManualLifecycle
    let path: ManualNetworkPath
    private(set) var socket: SteadySocket?

    init(
        _ transport: ScriptedTransport = .friendly, configuration: Configuration = .standard,
        app: AppState = .foreground, path: NetworkPath = .online(fingerprint: 1),
        change: (inout Options) -> Void = { _ in }
    ) {
        self.transport = transport
        lifecycle = ManualLifecycle(app)
        self.path = ManualNetworkPath(path)
        var options = Options()
        options.queue = queue
        options.transport = transport
        options.lifecycle = .custom(lifecycle)
        options.networkPath = .monitor(self.path)
        options.time = time
        options.generator = SeededGenerator(seed: 1)
        change(&options)
        socket = SteadySocket(configuration: configuration, options: options)
        queue.sync {}
    }

    var sockets: [ScriptedTransport.Socket] { transport.sockets }
    var status: ConnectionStatus? { socket?.status }
    /// The codes of the closes so far, by attempt; nil where none was ordered.
    var closeCodes: [CloseCode?] { sockets.map { $0.closed?.code } }

    /// Runs on the queue.
    @discardableResult
    func run<Result>(_ body: () throws -> Result) rethrows -> Result { try queue.sync(execute: body) }

    func on(_ body: (SteadySocket) throws -> Void) rethrows {
        try queue.sync { if let socket { try body(socket) } }
    }

    func ask(_ url: String) throws {
        let channel = try Channel(url)
        on { $0.connect(to: channel) }
    }

    func advance(_ duration: Duration) { queue.sync { time.advance(by: duration) } }

    /// Asks and lets the quiet window pass.
    func open(_ url: String = "wss://example.com/chat?user=1") throws {
        try ask(url)
        advance(.milliseconds(1500))
    }

    func release() {
        socket = nil
        queue.sync {}
    }
}
