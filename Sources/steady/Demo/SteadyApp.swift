internal import CurlTransport
internal import Dispatch
internal import SteadySocket
internal import SteadySocketTestKit

/// The app with a SteadySocket: it calls `connect` where the SDK calls it, and nothing else.
final class SteadyApp: DemoApp {
    private struct Inner {
        var user = DemoUser()
        var socket: SteadySocket?
        var lifecycle = ManualLifecycle()
    }

    private let inner = Locked(Inner())
    private let path = ManualNetworkPath()
    private let queue = DispatchQueue(label: "steady.demo")
    private let transport: CurlTransport
    private let port: UInt16
    private let speed: Double

    init(port: UInt16, speed: Double) throws(ConnectionError) {
        // A name that is not loopback, so that the network matters as it does to an app.
        transport = try CurlTransport(options: CurlTransport.Options(proxy: "", addresses: ["chat.test": "127.0.0.1"]))
        self.port = port
        self.speed = speed
    }

    func take(_ step: DemoScript.Step) {
        inner.withLock { inner in
            if let user = inner.user.asked(by: step) {
                if let channel = try? Channel("ws://chat.test:\(port)/?user=\(user)") {
                    inner.socket?.connect(to: channel)
                }
                return
            }
            switch step {
            case .launch(let inBackground): launch(inBackground ? .background : .foreground, &inner)
            case .background: inner.lifecycle.state = .background
            case .foreground: inner.lifecycle.state = .foreground
            case .terminate: inner.socket = nil
            case .networkLost, .networkDead: path.path = .offline
            case .networkBack: path.path = .online(fingerprint: 2)
            case .sessionStart, .identify, .serverDown, .serverUp, .peerDies: break
            }
        }
    }

    private func launch(_ state: AppState, _ inner: inout Inner) {
        inner.lifecycle = ManualLifecycle(state)
        var options = Options()
        options.queue = queue
        options.transport = transport
        options.lifecycle = .custom(inner.lifecycle)
        options.networkPath = .monitor(path)
        options.time = ScaledTime(speed: speed)
        inner.socket = SteadySocket(options: options)
    }
}
