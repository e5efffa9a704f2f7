// The examples of the article "Testing your app". Tests/SteadySocketTests links to this file, so that they are also run.
// Testing is not there for a program built on a Mac; for a test target it is.
#if canImport(Testing)
import Dispatch
import SteadySocket
import SteadySocketTestKit
import Testing

/// A connection with everything around it in the test's hands.
struct World {
    let queue = DispatchQueue(label: "test")
    let time = ManualTime()
    let lifecycle = ManualLifecycle()
    let path = ManualNetworkPath()
    let transport: ScriptedTransport
    let socket: SteadySocket

    init(_ transport: ScriptedTransport = .friendly) {
        self.transport = transport
        var options = Options()
        options.queue = queue
        options.time = time
        options.lifecycle = .custom(lifecycle)
        options.networkPath = .monitor(path)
        options.transport = transport
        options.generator = SeededGenerator(seed: 1)
        socket = SteadySocket(options: options)
    }

    /// Lets time pass. On the queue, so that everything due has happened when it returns.
    func pass(_ duration: Duration) { queue.sync { time.advance(by: duration) } }
}

@Suite struct TestingYourApp {
    @Test func staysInTheBackground() throws {
        let world = World()
        world.socket.connect(to: try Channel("wss://chat.example/ws"))
        world.pass(.seconds(2))
        #expect(world.transport.liveCount == 1)

        world.queue.sync { world.lifecycle.state = .background }
        world.pass(.seconds(10))
        #expect(world.transport.sockets[0].closed?.code == .goingAway)
        #expect(world.socket.status == .held(.background))

        world.queue.sync { world.lifecycle.state = .foreground }
        world.pass(.seconds(1))
        #expect(world.transport.liveCount == 1)
        #expect(world.transport.sockets.count == 2)
    }

    @Test func obeysRetryAfter() throws {
        let busy = ScriptedTransport { call, socket in
            guard case .open = call else { return }
            socket.report(.closed(TransportClose(.openingRefused(status: 503), retryAfter: .seconds(20))))
        }
        let world = World(busy)
        world.socket.connect(to: try Channel("wss://chat.example/ws"))
        world.pass(.seconds(2))
        world.pass(.seconds(19))
        #expect(busy.sockets.count == 1)
        world.pass(.seconds(21))
        #expect(busy.sockets.count == 2)
    }
}
#endif
