import SteadySocket
import SteadySocketTestKit
import Testing

@Suite struct MessageTests {
    private func text(_ number: Int) -> TransportFact { .message(.text(String(number))) }

    @Test("with nobody reading, exactly the window is asked for", arguments: [1, 4, 16])
    func window(size: Int) async throws {
        let rig = Rig { $0.messageWindow = size }
        try rig.open()
        let peer = rig.sockets[0]
        #expect(peer.allowed == size)
        var sent = 0
        func pour() {
            rig.run {
                while peer.allowed > 0 {
                    peer.report(text(sent))
                    sent += 1
                }
            }
        }
        pour()
        #expect(sent == size)
        // All of 500 arrive, in order, and never more than the window is on the way.
        var received: [Int] = []
        let messages = try #require(rig.socket?.messages)
        for await message in messages {
            if case .text(let text) = message { received.append(try #require(Int(text))) }
            if received.count == 500 { break }
            rig.run {}
            #expect(sent - received.count <= size)
            pour()
        }
        #expect(received == Array(0..<500))
    }

    @Test("every observer gets every message; one that is let go holds up nobody")
    func observers() async throws {
        let rig = Rig { $0.messageWindow = 4 }
        try rig.open()
        let peer = rig.sockets[0]
        var first = try #require(rig.socket?.messages).makeAsyncIterator()
        var second: Messages.AsyncIterator? = try #require(rig.socket?.messages).makeAsyncIterator()
        rig.run { for number in 0..<4 { peer.report(text(number)) } }
        #expect(peer.allowed == 0)
        for number in 0..<4 { #expect(await first.next() == .text(String(number))) }
        rig.run {}
        #expect(peer.allowed == 0)
        #expect(await second?.next() == .text("0"))
        second = nil
        rig.run {}
        #expect(peer.allowed == 4)
    }

    @Test("while the reader holds reading up, a silent peer is not given up")
    func pausedReading() async throws {
        let rig = Rig(ScriptedTransport { call, socket in if case .open = call { socket.report(.opened(.init())) } })
        let messages = try #require(rig.socket?.messages)
        try rig.open()
        let peer = rig.sockets[0]
        rig.run { for number in 0..<64 { peer.report(text(number)) } }
        rig.advance(.seconds(600))
        #expect(peer.closed == nil)
        #expect(peer.pings == 15)
        var iterator = messages.makeAsyncIterator()
        for _ in 0..<64 { _ = await iterator.next() }
        rig.advance(.seconds(51))
        #expect(peer.closed?.reason == "unresponsive")
    }

    @Test("a greeting right behind the opening waits for the first reader")
    func greeting() async throws {
        let rig = Rig()
        try rig.open()
        rig.run { rig.sockets[0].report(.message(.text("hello"))) }
        var iterator = try #require(rig.socket?.messages).makeAsyncIterator()
        #expect(await iterator.next() == .text("hello"))
    }

    @Test("what arrives behind our Close frame is not delivered")
    func afterClose() async throws {
        let rig = Rig(ScriptedTransport { call, socket in if case .open = call { socket.report(.opened(.init())) } })
        let messages = try #require(rig.socket?.messages)
        try rig.open()
        rig.on { $0.disconnect() }
        rig.run {
            rig.sockets[0].report(.message(.text("late")))
            rig.sockets[0].report(.closed(TransportClose(.closedByPeer(.normalClosure), outcome: .acknowledged)))
        }
        rig.release()
        for await message in messages { Issue.record("delivered \(message)") }
    }

    @Test("a reader whose task is cancelled ends")
    func cancelledReader() async throws {
        let rig = Rig()
        let messages = try #require(rig.socket?.messages)
        let task = Task { for await _ in messages {} }
        task.cancel()
        await task.value
    }
}
