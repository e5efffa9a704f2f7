import ConnectionCore
import ConnectionLedger
import LedgerServer
import RawClient
import Testing
import WebSocketWire

@Suite(.serialized, .timeLimit(.minutes(1))) struct MisbehaviourTests {
    private func behaviour(_ body: (inout Behaviour) -> Void) -> Behaviour {
        var behaviour = Behaviour()
        body(&behaviour)
        return behaviour
    }

    @Test func upgradesAreRefusedWithStatusAndRetryAfter() async throws {
        let test = try TestServer(ServerOptions(), behaviour { $0.refusal = Refusal(503, retryAfter: "7") })
        let client = try RawClient(port: test.port)
        let head = try client.upgrade()
        #expect(head.startLine == "HTTP/1.1 503 Service Unavailable")
        #expect(head["retry-after"] == "7")
        #expect(try client.readToEnd() == [])
        #expect(await test.nextEntry()?.refusal?.status == 503)
        // And accepted again at run time.
        test.server.change { $0.refusal = nil }
        _ = try test.open()
    }

    @Test func upgradesAboveTheRateAreRefused() async throws {
        let rate = AcceptRate(perSecond: 0.01, excess: .refuse(Refusal(503, retryAfter: "3")))
        let test = try TestServer(ServerOptions(), behaviour { $0.acceptRate = rate })
        _ = try test.open()
        for _ in 0..<3 {
            let head = try RawClient(port: test.port).upgrade()
            #expect(head.startLine.contains("503") && head["retry-after"] == "3")
        }
        #expect(test.server.counters.opened == 1)
        #expect(test.server.refusals.map(\.status) == [503, 503, 503])
    }

    @Test func upgradesAboveTheRateWaitForTheirTurn() async throws {
        let test = try TestServer(
            ServerOptions(), behaviour { $0.acceptRate = AcceptRate(perSecond: 20, excess: .wait) })
        let clock = ContinuousClock()
        let start = clock.now
        let clients = try (0..<6).map { _ in
            let client = try RawClient(port: test.port)
            try client.send(RawClient.request())
            return client
        }
        for client in clients { #expect(try client.readHead().startLine.contains("101")) }
        // Two at once from the tenth of a second saved up, then one every 50 ms.
        #expect(clock.now - start >= .milliseconds(200))
        let opened = test.server.counters.opened
        #expect(opened == 6)
    }

    @Test func whoeverWaitsMayLeaveOrBeLetIn() async throws {
        let test = try TestServer(
            ServerOptions(), behaviour { $0.acceptRate = AcceptRate(perSecond: 0.001, excess: .wait) })
        _ = try test.open()
        let leaving = try RawClient(port: test.port)
        try leaving.send(RawClient.request())
        let staying = try RawClient(port: test.port)
        try staying.send(Array(RawClient.request().utf8) + RawClient.encode(.text("patient")))
        leaving.close()
        // The first client left open above ends with 1006 when it is released; only the refusal counts here.
        var refusal: RefusalRecord?
        while refusal == nil { refusal = await test.nextEntry()?.refusal }
        #expect(refusal?.status == nil)
        test.server.change { $0.acceptRate = nil }
        #expect(try staying.readHead().startLine.contains("101"))
        #expect(try staying.readFrame() == .text("patient"))
    }

    @Test func socketsGetAHelloAndBroadcasts() async throws {
        let test = try TestServer(ServerOptions(), behaviour { $0.hello = "hello" })
        let first = try test.open()
        let second = try test.open()
        for client in [first, second] { #expect(try client.readFrame() == .text("hello")) }
        let ids = [await test.nextOpened()?.id, await test.nextOpened()?.id]
        test.server.send("all")
        test.server.send("one", to: .one(try #require(ids[1])))
        #expect(try first.readFrame() == .text("all"))
        #expect(try second.readFrame() == .text("all"))
        #expect(try second.readFrame() == .text("one"))
        try first.send(.close(1000))
        #expect(try first.readFrame() == .close(1000))
        #expect(await test.nextRecord()?.messagesOut == 2)
    }

    @Test func aClientThatReadsNoBroadcastsIsDroppedInTheEnd() async throws {
        var options = ServerOptions()
        options.maximumMessageBytes = 1 << 20
        let test = try TestServer(options)
        let client = try test.open()
        // More than every buffer on the way and the limit hold together.
        let text = String(repeating: "x", count: 1 << 20)
        for _ in 0..<32 { test.server.send(text) }
        let record = await test.nextRecord()
        #expect(Ending(record) == Ending(1006, by: .server, sent: nil))
        #expect(record?.note == "the client does not read")
        #expect((record?.messagesOut ?? 32) < 32)
        client.close()
    }

    @Test func aSocketClosesWithItsNthMessage() async throws {
        let fate = Behaviour.MessageFate(messages: 2, .close(CloseCode(rawValue: 4001), reason: "enough"))
        let test = try TestServer(ServerOptions(), behaviour { $0.messageFate = fate })
        let client = try test.open()
        try client.send(.text("1"))
        try client.send(.text("2"))
        try client.send(.text("3"))
        #expect(try client.readFrame() == .text("1"))
        #expect(try client.readFrame() == .text("2"))
        #expect(try client.readFrame() == .close(4001, "enough"))
        try client.send(.close(4001))
        let record = await test.nextRecord()
        #expect(Ending(record) == Ending(4001, by: .server, sent: 4001))
        #expect(record?.messagesIn == 3 && record?.messagesOut == 2)
    }

    @Test func aSocketClosesAfterItsTime() async throws {
        let fate = Behaviour.TimedFate(after: .milliseconds(30), .close(.tryAgainLater))
        let test = try TestServer(ServerOptions(), behaviour { $0.timedFates = [fate] })
        let client = try test.open()
        #expect(try client.readFrame() == .close(1013))
        try client.send(.close(1013))
        let record = try #require(await test.nextRecord())
        #expect(Ending(record) == Ending(1013, by: .server, sent: 1013))
        #expect(record.seconds >= 0.03)
    }

    @Test func oneSocketCanBeClosedWhileTheOthersStay() async throws {
        let test = try TestServer()
        let first = try test.open()
        let second = try test.open()
        let id = try #require(await test.nextOpened()?.id)
        test.server.apply(.close(.policyViolation), to: .one(id))
        #expect(try first.readFrame() == .close(1008))
        try second.send(.text("still here"))
        #expect(try second.readFrame() == .text("still here"))
    }

    @Test func echoCanBeSwitchedOff() throws {
        let test = try TestServer(ServerOptions(), behaviour { $0.echoes = false })
        let client = try test.open()
        try client.send(.text("a"))
        try client.send(RawClient.Frame(.ping, []))
        #expect(try client.readFrame() == RawClient.Frame(.pong, []))
    }

    // MARK: Silence

    @Test(arguments: [true, false])
    func aSilentServerAnswersNothingAndStillLearnsOfTheGoodbye(saysGoodbye: Bool) async throws {
        let test = try TestServer()
        let client = try test.open()
        test.server.apply(.silence)
        // The command is through when a later question to the server has been answered.
        #expect(test.server.counters.open == 1)
        try client.send(RawClient.Frame(.ping, []))
        try client.send(.text("anybody?"))
        if saysGoodbye { try client.send(.close(1000, "gave up")) }
        client.finishWriting()
        #expect(try client.readToEnd() == [])
        let record = await test.nextRecord()
        #expect(
            Ending(record)
                == (saysGoodbye
                    ? Ending(1000, "gave up", by: .client, sent: nil) : Ending(1006, by: .network, sent: nil)))
        #expect(record?.messagesIn == 1 && record?.messagesOut == 0 && record?.pingsIn == 1)
    }

    @Test func aSilentServerDoesNotReadWhileTheClientHoldsOn() async throws {
        let test = try TestServer()
        let client = try test.open()
        let other = try test.open()
        let id = try #require(await test.nextOpened()?.id)
        test.server.apply(.silence, to: .one(id))
        #expect(test.server.counters.open == 2)
        try client.send(.text("unread"))
        // By the time the other socket has its echoes, a server that reads would have read the first one.
        for _ in 0..<20 {
            try other.send(.text("echo"))
            #expect(try other.readFrame() == .text("echo"))
        }
        #expect(test.server.counters.messagesIn == 20)
        client.close()
        #expect(await test.nextRecord()?.messagesIn == 1)
    }

    @Test func aSilentServerCanFallSilentByItself() async throws {
        let fate = Behaviour.MessageFate(messages: 1, .silence)
        let test = try TestServer(ServerOptions(), behaviour { $0.messageFate = fate })
        let client = try test.open()
        // In one write, so that the ping is already read when silence falls.
        try client.send(RawClient.encode(.text("a")) + RawClient.encode(.init(.ping, [])))
        client.finishWriting()
        #expect(try client.readToEnd() == [])
        #expect(Ending(await test.nextRecord()) == Ending(1006, by: .network, sent: nil))
    }

    @Test func silentSocketsEndWithTheServer() async throws {
        let test = try TestServer()
        let client = try test.open()
        test.server.apply(.silence)
        #expect(test.server.counters.open == 1)
        await test.server.stop()
        #expect(try client.readToEnd() == [])
        #expect(test.server.records.compactMap(Ending.init) == [Ending(1006, by: .server, sent: nil)])
    }
}
