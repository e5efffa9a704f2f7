import Dispatch
import SteadySocketTestKit
import Testing

@testable import SteadySocket

@Suite struct DriverTests {
    @Test("inputs from one thread keep their order; there is one hop per burst")
    func order() async {
        let queue = DispatchQueue(label: "inbox")
        let inbox = Inbox<Int>(home: Confinement(queue))
        let seen = Recorder<Int>()
        let batches = Recorder<Int>()
        queue.suspend()
        for number in 0..<1000 {
            inbox.submit(number) { batch in
                batches.add(batch.count)
                for number in batch { seen.add(number) }
            }
        }
        queue.resume()
        queue.sync {}
        #expect(seen.all == Array(0..<1000))
        #expect(batches.all == [1000])
    }

    @Test("on the queue an input takes effect at once, behind what others sent before, and never nests")
    func inline() {
        let queue = DispatchQueue(label: "inbox")
        let inbox = Inbox<Int>(home: Confinement(queue))
        let log = Recorder<String>()
        @Sendable func process(_ batch: [Int]) {
            for number in batch {
                log.add("begin \(number)")
                if number == 2 { inbox.submit(3, process: process) }
                log.add("end \(number)")
            }
        }
        queue.suspend()
        inbox.submit(1, process: process)
        DispatchQueue.global().async { queue.resume() }
        queue.sync {
            inbox.submit(2, process: process)
            log.add("returned")
        }
        #expect(log.all == ["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3", "returned"])
    }

    /// Counts how often it is asked for the time, which is once per event of the machine.
    private struct CountingTime: TimeSource {
        let reads = Locked(0)
        var now: Instant {
            reads.withLock { $0 += 1 }
            return .zero + .seconds(10)
        }
        func makeWakeUp(on queue: DispatchQueue, fire: @escaping @Sendable () -> Void) -> any WakeUp {
            ManualTime().makeWakeUp(on: queue, fire: fire)
        }
    }

    @Test("a flood of pings while the queue is busy is one sign of life, and none is lost")
    func floodOfPings() throws {
        let time = CountingTime()
        var configuration = Configuration.standard
        configuration.askQuietWindow = .zero
        let rig = Rig(configuration: configuration) { $0.time = time }
        try rig.ask("wss://example.com/")
        let peer = try #require(rig.sockets.first)
        for _ in 0..<3 {
            let before = time.reads.withLock { $0 }
            rig.queue.suspend()
            for _ in 0..<10_000 { peer.report(.pingReceived) }
            rig.queue.resume()
            rig.run {}
            #expect(time.reads.withLock { $0 } == before + 1)
        }
    }

    @Test("calls from many threads leave the connection in the state of the last one")
    func manyThreads() async {
        let rig = Rig()
        guard let socket = rig.socket, let channel = try? Channel("wss://example.com/") else { return }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        socket.connect(to: channel)
                        socket.disconnect()
                    }
                }
            }
        }
        rig.run {}
        #expect(rig.status == .idle)
        #expect(rig.sockets.isEmpty)
    }

    @Test("releasing the handle closes with 1000, ends every stream and frees everything")
    func release() async throws {
        weak var weakTransport: ScriptedTransport?
        weak var weakTime: ManualTime?
        var statuses: AsyncStream<ConnectionStatus>?
        var messages: Messages?
        var path: ManualNetworkPath?
        do {
            let rig = Rig()
            (weakTransport, weakTime, path) = (rig.transport, rig.time, rig.path)
            statuses = rig.socket?.statuses
            messages = rig.socket?.messages
            try rig.open()
            rig.release()
            #expect(rig.closeCodes == [.normalClosure])
            #expect(rig.time.armedCount == 0)
        }
        var seen: [String] = []
        for await status in try #require(statuses) { seen.append(status.description) }
        #expect(
            seen == [
                "idle", "waiting 1.5 s: quiet window after the ask", "opening #1", "open #1", "closing #1: released",
                "idle",
            ])
        for await _ in try #require(messages) {}
        messages = nil
        #expect(path?.isStarted == false)
        #expect(weakTransport == nil)
        #expect(weakTime == nil)
    }

    @Test("200 connections, opened and released, leave nothing behind")
    func leaks() throws {
        weak var last: ConnectionDriver?
        let transport = ScriptedTransport.friendly
        let time = ManualTime()
        let queue = DispatchQueue(label: "leaks")
        let channel = try Channel("wss://example.com/")
        for _ in 0..<200 {
            var options = Options()
            options.queue = queue
            options.time = time
            var driver: ConnectionDriver? = ConnectionDriver(
                configuration: .standard, options: options, transport: transport, path: nil)
            last = driver
            queue.sync {
                driver?.start()
                driver?.submit(.ask(channel))
                time.advance(by: .seconds(2))
                driver?.submit(.release)
            }
            driver = nil
            queue.sync {}
            #expect(last == nil)
        }
        #expect(transport.liveCount == 0)
        #expect(time.armedCount == 0)
    }

    @Test("a suspended process probes its socket instead of trusting or killing it")
    func suspension() throws {
        let rig = Rig()
        try rig.open()
        rig.advance(.seconds(45))
        rig.run { rig.time.suspend(for: .seconds(3600)) }
        rig.advance(.zero)
        #expect(rig.closeCodes == [nil])
        #expect(rig.sockets[0].pings == 2)
    }

    @Test("Wi-Fi to cellular while online: one probe; silence replaces the socket")
    func handover() throws {
        let silent = Recorder<Bool>()
        let rig = Rig(
            ScriptedTransport { call, socket in
                switch call {
                case .open: socket.report(.opened(OpeningResult()))
                case .ping: if silent.all.isEmpty { socket.report(.pongReceived) }
                case .close, .send, .receive, .abandon: break
                }
            })
        try rig.open()
        rig.run { rig.path.path = .online(fingerprint: 2) }
        rig.advance(.seconds(10))
        #expect(rig.sockets.count == 1 && rig.sockets[0].pings == 1)
        silent.add(true)
        rig.run { rig.path.path = .online(fingerprint: 3) }
        rig.advance(.seconds(4))
        #expect(rig.closeCodes == [.normalClosure])
        rig.advance(.milliseconds(2250))
        #expect(rig.sockets.count == 2)
    }

    @Test("the decision log explains every open, close and wait, and keeps secrets out; so do log lines")
    func decisions() throws {
        let lines = Recorder<String>()
        let rig = Rig { options in
            options.log = { lines.add("\($0.level) \($0.message) \($0.metadata.sorted { $0.key < $1.key })") }
        }
        let request = try ConnectionRequest(
            "wss://example.com/chat?token=hunter2", headers: [HeaderField("Authorization", "Bearer hunter3")])
        rig.on { $0.connect(to: Channel(request)) }
        rig.advance(.seconds(2))
        rig.run {
            rig.sockets[0].report(
                .closed(
                    TransportClose(
                        .closedByPeer(.tryAgainLater), closeCode: .tryAgainLater, closeReason: "hunter4",
                        retryAfter: .seconds(10))))
        }
        let log = rig.socket?.decisions.map(\.description) ?? []
        #expect(
            log.dropLast() == [
                "asked for wss://example.com:443", "waiting 1.5 s: quiet window after the ask", "opening #1",
                "opened #1", "open #1", "closed #1: peer closed with 1013, Retry-After 10 s",
            ])
        #expect(log.last?.hasSuffix("s: server said 1013") == true)
        #expect(lines.all.count == log.count)
        var dumped = ""
        dump(Channel(request, identity: "hunter5"), to: &dumped)
        #expect(dumped.contains("Authorization"))
        let texts = ["\(request)", "\(request.headers)", "\(Channel(request).id)", dumped]
        let everything = (log + lines.all + texts).joined(separator: "\n")
        #expect(!everything.contains("hunter"))
        #expect(
            lines.all.allSatisfy { $0.contains("connection.id") && ($0.hasPrefix("info") || $0.hasPrefix("debug")) })
    }

    /// The events of everything `play` does, up to the release.
    private func events(
        of rig: Rig, _ play: (Rig) throws -> Void
    ) async throws -> [SocketEvent] {
        let events = try #require(rig.socket?.events)
        try play(rig)
        rig.release()
        return await events.reduce(into: []) { $0.append($1) }
    }

    @Test("the gap counts from the socket before, also if its reader held reading up when it closed")
    func gap() async throws {
        let events = try await events(of: Rig { $0.messageWindow = 1 }) { rig in
            try rig.open()
            rig.run { rig.sockets[0].report(.message(.text("unread"))) }
            try rig.open("wss://example.com/other")
        }
        let gaps = events.compactMap { event -> Duration?? in
            if case .opened(_, _, let gap) = event { gap } else { nil }
        }
        #expect(gaps == [nil, .zero])
    }

    @Test(
        "a deliberate close reports an outcome, also if the end had begun without it",
        arguments: [
            (TransportClose(.closedByPeer(.goingAway), closeCode: .goingAway), CloseOutcome.acknowledged),
            (TransportClose(.connectionLost), .unknown(after: .zero)),
        ])
    func crossing(end: TransportClose, outcome: CloseOutcome) async throws {
        let transport = ScriptedTransport { call, socket in
            switch call {
            case .open: socket.report(.opened(OpeningResult()))
            case .close: socket.report(.closed(end))
            case .ping, .send, .receive, .abandon: break
            }
        }
        let events = try await events(of: Rig(transport)) { rig in
            try rig.open()
            rig.on { $0.disconnect() }
        }
        let closes = events.compactMap { if case .closed(_, let close) = $0 { close } else { nil } }
        #expect(closes.map(\.reason) == [.closedLocally(.disconnected)])
        #expect(closes.map(\.outcome) == [outcome])
    }

    @Test("the decision log is bounded")
    func boundedLog() throws {
        let rig = Rig { $0.decisionLogCapacity = 3 }
        try rig.open()
        #expect(rig.socket?.decisions.count == 3)
        #expect(rig.socket?.decisions.last?.description == "open #1")
    }
}
