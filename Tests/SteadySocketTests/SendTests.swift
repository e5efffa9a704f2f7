import Dispatch
import SteadySocketTestKit
import Testing

@testable import SteadySocket

@Suite struct SendTests {
    private func code(_ body: () async throws(ConnectionError) -> Void) async -> ConnectionError.Code? {
        do {
            try await body()
            return nil
        } catch { return error.code }
    }

    @Test("send without an open socket is an error that says what the connection does")
    func notOpen() async throws {
        let rig = Rig()
        let socket = try #require(rig.socket)
        await #expect(throws: ConnectionError(.notOpen, "there is no open socket; the connection is idle")) {
            try await socket.send(.text("hi"))
        }
        try rig.open()
        #expect(await code { () async throws(ConnectionError) in try await socket.send(.text("hi")) } == nil)
    }

    @Test("messages that wait for the opening are sent in order")
    func waiting() async throws {
        let transport = ScriptedTransport.friendly
        let queue = DispatchQueue(label: "driver")
        let time = ManualTime()
        var options = Options()
        options.queue = queue
        options.time = time
        let driver = ConnectionDriver(configuration: .standard, options: options, transport: transport, path: nil)
        let channel = try Channel("wss://example.com/")
        let results = Recorder<ConnectionError?>()
        queue.sync {
            driver.submit(.ask(channel))
            for number in 0..<5 {
                driver.submit(
                    .send(
                        OutgoingMessage(
                            id: UInt64(number), message: .text(String(number)), deadline: .zero + .seconds(9),
                            completion: results.add)))
            }
            time.advance(by: .seconds(2))
        }
        let sent = transport.sockets[0].calls.compactMap { if case .send(let message) = $0 { message } else { nil } }
        #expect(sent == (0..<5).map { .text(String($0)) })
        #expect(results.all == Array(repeating: nil, count: 5))
    }

    @Test("a message waits no longer than it was allowed to")
    func timeout() async throws {
        let rig = Rig()
        let socket = try #require(rig.socket)
        let task = Task {
            await code { () async throws(ConnectionError) in try await socket.send(.text("hi"), whenOpen: .seconds(5)) }
        }
        while rig.run({ rig.time.armedCount }) == 0 { await Task.yield() }
        rig.advance(.seconds(5))
        #expect(await task.value == .timedOut)
        #expect(rig.time.armedCount == 0)
    }

    @Test("a full queue is an error, not a drop")
    func fullQueue() async throws {
        let rig = Rig { $0.waitingMessages = 1 }
        let socket = try #require(rig.socket)
        let first = Task { try await socket.send(.text("a"), whenOpen: .seconds(60)) }
        while rig.run({ rig.time.armedCount }) == 0 { await Task.yield() }
        #expect(
            await code { () async throws(ConnectionError) in try await socket.send(.text("b"), whenOpen: .seconds(60)) }
                == .queueFull)
        try rig.open()
        try await first.value
    }

    @Test("a message larger than the bound on bytes may wait alone")
    func largeMessage() {
        func outgoing(_ text: String) -> OutgoingMessage {
            OutgoingMessage(id: 1, message: .text(text), deadline: .zero, completion: { _ in })
        }
        var waiting = WaitingSends(maximumCount: 2, maximumBytes: 4)
        #expect(waiting.append(outgoing("large")) == nil)
        #expect(waiting.append(outgoing("b"))?.code == .queueFull)
        #expect(waiting.takeAll().count == 1)
        #expect(waiting.append(outgoing("b")) == nil)
    }

    @Test("cancelling, disconnecting and releasing each end the wait with an error")
    func endsOfWaiting() async throws {
        let rig = Rig()
        let socket = try #require(rig.socket)
        func wait() async -> Task<ConnectionError.Code?, Never> {
            let task = Task {
                await code { () async throws(ConnectionError) in
                    try await socket.send(.text("a"), whenOpen: .seconds(60))
                }
            }
            while rig.run({ rig.time.armedCount }) == 0 { await Task.yield() }
            return task
        }
        let cancelled = await wait()
        cancelled.cancel()
        #expect(await cancelled.value == .cancelled)
        rig.run {}
        let disconnected = await wait()
        rig.on { $0.disconnect() }
        #expect(await disconnected.value == .closed)
        // A call that waits holds the handle, so only the driver can be released under it.
        let results = Recorder<ConnectionError?>()
        var options = Options()
        options.queue = rig.queue
        options.time = rig.time
        let driver = ConnectionDriver(
            configuration: .standard, options: options, transport: rig.transport, path: nil)
        rig.run {
            driver.submit(
                .send(
                    OutgoingMessage(
                        id: 1, message: .text("a"), deadline: .zero + .seconds(60), completion: results.add)))
            driver.submit(.release)
        }
        #expect(results.all.map { $0?.code } == [.closed])
    }

    @Test("a message over the limit is refused before it is queued")
    func tooBig() async throws {
        var configuration = Configuration.standard
        configuration.maximumMessageBytes = 4
        let rig = Rig(configuration: configuration)
        let socket = try #require(rig.socket)
        try rig.open()
        #expect(
            await code { () async throws(ConnectionError) in try await socket.send(.text("äää")) } == .messageTooBig)
        #expect(await code { () async throws(ConnectionError) in try await socket.send(.text("ää")) } == nil)
    }
}
