import Dispatch
import SteadySocket
import SteadySocketTestKit
import SteadySocketURLSessionTestKit
import Testing

/// The whole connection over the real transport and a simulated `URLSession`.
@Suite struct ConnectionTests {
    /// A connection on a queue of its own; `run` runs there, where calls take effect at once.
    final class Rig {
        let queue = DispatchQueue(label: "connection")
        let time = ManualTime()
        let simulator: URLSessionSimulator
        private(set) var socket: SteadySocket?

        init(_ quirks: Set<URLSessionQuirk> = []) {
            simulator = .friendly(time: time, quirks: quirks)
            var options = Options()
            options.queue = queue
            options.transport = simulator.transport()
            options.networkPath = .ignored
            options.time = time
            options.generator = SeededGenerator(seed: 1)
            socket = SteadySocket(options: options)
        }

        func ask(_ url: String = "wss://example.com/chat?user=1") throws {
            let channel = try Channel(url)
            queue.sync { socket?.connect(to: channel) }
            advance(.milliseconds(1500))
        }

        func advance(_ duration: Duration) { queue.sync { time.advance(by: duration) } }

        func run(_ body: (SteadySocket) -> Void) { queue.sync { if let socket { body(socket) } } }

        func letGo() {
            socket = nil
            queue.sync {}
        }

        var isOpen: Bool { if case .open = socket?.status { true } else { false } }
        var tasks: [SimulatedTask] { simulator.tasks }
        var liveTasks: Int { simulator.census.tasks }
    }

    @Test("opens, keeps itself alive, closes with 1000 and leaves nothing")
    func life() throws {
        let rig = Rig()
        try rig.ask()
        #expect(rig.isOpen)
        rig.advance(.seconds(125))
        #expect(rig.tasks.count == 1)
        #expect(rig.tasks.first?.calls.count { $0 == .ping } == 3)
        rig.run { $0.disconnect() }
        #expect(rig.tasks.first?.cancelCodes == [1000])
        #expect(rig.simulator.census == URLSessionSimulator.Census())
        rig.letGo()
        #expect(rig.time.armedCount == 0)
    }

    @Test("complaint 1: pongs that come twice do not upset the keepalive")
    func doublePong() throws {
        let rig = Rig([.doublePong])
        try rig.ask()
        rig.advance(.seconds(400))
        #expect(rig.tasks.count == 1)
        #expect(rig.isOpen)
    }

    @Test("complaint 2: pongs that never come end the socket by the keepalive's deadline, and another is opened")
    func noPong() throws {
        let rig = Rig([.noPong])
        try rig.ask()
        rig.advance(.milliseconds(49_999))
        #expect(rig.tasks.first?.cancelCodes == [])
        rig.advance(.milliseconds(1))
        #expect(rig.tasks.first?.cancelCodes == [1000])
        rig.advance(.seconds(3))
        #expect(rig.tasks.count == 2)
        #expect(rig.liveTasks == 1)
    }

    @Test("complaint 3: a connection that dies without a sign is found by the keepalive and replaced")
    func receiveNeverReturns() throws {
        let rig = Rig([.receiveNeverReturns, .noPong, .closeUnanswered])
        try rig.ask()
        rig.tasks.first?.losesConnection()
        rig.advance(.seconds(60))
        #expect(rig.tasks.count == 2)
        #expect(rig.tasks.map(\.invalidations) == [1, 0])
        #expect(rig.liveTasks == 1)
    }

    @Test("complaint 4: the server's code behind POSIX 57 is the reason the status gives")
    func errorBeforeClose() throws {
        let rig = Rig([.errorBeforeClose])
        try rig.ask()
        rig.queue.sync { rig.tasks.first?.closes(code: .tryAgainLater) }
        rig.advance(.milliseconds(500))
        #expect(rig.socket.map { "\($0.status)" }?.contains("1013") == true)
    }

    @Test("complaint 5 and 22: a close nobody answers does not keep the next channel from opening")
    func replaced() throws {
        let rig = Rig([.closeUnanswered])
        try rig.ask("wss://example.com/a")
        try rig.ask("wss://example.com/b")
        #expect(rig.tasks.first?.cancelCodes == [1000])
        rig.advance(.seconds(3))
        #expect(rig.tasks.count == 2)
        #expect(rig.tasks.map(\.invalidations) == [1, 0])
        #expect(rig.liveTasks == 1)
        #expect(rig.isOpen)
    }

    @Test("complaint 7: nothing reconnects after disconnect(), however late the old task speaks")
    func disconnected() throws {
        let rig = Rig([.lateCallbacks, .noDidClose])
        try rig.ask()
        rig.run { $0.disconnect() }
        rig.advance(.seconds(300))
        #expect(rig.tasks.count == 1)
        #expect(rig.simulator.census == URLSessionSimulator.Census())
    }

    @Test("complaint 14: one task at a time, over 100 lost connections")
    func oneAtATime() throws {
        let rig = Rig()
        try rig.ask()
        for _ in 0..<100 {
            rig.queue.sync { rig.tasks.last?.losesConnection() }
            rig.advance(.seconds(75))
            #expect(rig.liveTasks == 1)
        }
        #expect(rig.tasks.count == 101)
        #expect(rig.tasks.dropLast().allSatisfy { $0.invalidations == 1 })
    }

    @Test("complaint 18: Retry-After of a refused upgrade is waited for")
    func refused() throws {
        let rig = Rig([.refusedUpgrade])
        try rig.ask()
        rig.advance(.milliseconds(6_999))
        #expect(rig.tasks.count == 1)
        rig.advance(.milliseconds(7_001))
        #expect(rig.tasks.count == 2)
    }

    @Test("complaint 21: a handshake that hangs counts as a failure and is tried again")
    func hung() throws {
        let rig = Rig([.hungHandshake])
        try rig.ask()
        rig.advance(.seconds(15))
        #expect(rig.tasks.first?.invalidations == 1)
        rig.advance(.seconds(3))
        #expect(rig.tasks.count == 2)
        #expect(rig.liveTasks == 1)
    }

    @Test("complaint 6: a released connection closes with 1000 and leaves no session, task, delegate or timer")
    func released() throws {
        let rig = Rig()
        try rig.ask()
        rig.letGo()
        #expect(rig.tasks.first?.cancelCodes == [1000])
        #expect(rig.simulator.census == URLSessionSimulator.Census())
        #expect(rig.time.armedCount == 0)
    }
}
