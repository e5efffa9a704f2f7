import ConnectionCore
import ConnectionLedger
import LedgerServer
import RawClient
import Testing
import WebSocketWire

/// Who closed, and with which code: what the ledger is for.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ClosingTests {
    @Test(arguments: [1000, 1001, 1003, 1011, 3000, 4001, 4999] as [UInt16])
    func theClientsCodeIsRecordedAndAnswered(code: UInt16) async throws {
        let test = try TestServer()
        let client = try test.open()
        try client.send(.close(code, "tschüß"))
        #expect(try client.readFrame() == .close(code, "tschüß"))
        #expect(try client.readFrame() == nil)
        #expect(Ending(await test.nextRecord()) == Ending(code, "tschüß", by: .client, sent: code))
    }

    @Test func anEmptyCloseFrameIs1005() async throws {
        let test = try TestServer()
        let client = try test.open()
        try client.send(.close(nil))
        #expect(try client.readFrame() == .close(nil))
        #expect(Ending(await test.nextRecord()) == Ending(1005, by: .client, sent: 1005))
    }

    @Test func tcpEndingWithoutACloseFrameIs1006() async throws {
        let test = try TestServer()
        try test.open().close()
        #expect(Ending(await test.nextRecord()) == Ending(1006, by: .network, sent: nil))
        try test.open().reset()
        #expect(Ending(await test.nextRecord()) == Ending(1006, by: .network, sent: nil))
        // In the middle of a frame.
        let client = try test.open()
        try client.send([0x81, 0xFE, 0x01])
        client.close()
        #expect(Ending(await test.nextRecord()) == Ending(1006, by: .network, sent: nil))
    }

    @Test func aCloseFrameCountsEvenIfTheClientIsGoneRightBehindIt() async throws {
        let test = try TestServer()
        let client = try test.open()
        try client.send(.close(1001))
        client.close()
        #expect(Ending(await test.nextRecord()) == Ending(1001, by: .client, sent: 1001))
    }

    @Test func theServersCloseWaitsForTheClients() async throws {
        let test = try TestServer()
        let client = try test.open()
        test.server.apply(.close(.serviceRestart, reason: "deploy"))
        #expect(try client.readFrame() == .close(1012, "deploy"))
        // What was under way still counts, but is no longer answered.
        try client.send(.text("late"))
        try client.send(.close(1012))
        #expect(try client.readFrame() == nil)
        let record = await test.nextRecord()
        #expect(Ending(record) == Ending(1012, by: .server, sent: 1012))
        #expect(record?.messagesIn == 1 && record?.messagesOut == 0)
    }

    @Test func theServersCloseDoesNotWaitForEver() async throws {
        var options = ServerOptions()
        options.closingTimeout = .milliseconds(50)
        let test = try TestServer(options)
        let client = try test.open()
        test.server.apply(.close(.goingAway))
        #expect(try client.readFrame() == .close(1001))
        #expect(try client.readFrame() == nil)
        #expect(Ending(await test.nextRecord()) == Ending(1006, by: .server, sent: 1001))
    }

    @Test func theServersEmptyCloseFrameIs1005() async throws {
        let test = try TestServer()
        let client = try test.open()
        test.server.apply(.closeWithoutCode)
        #expect(try client.readFrame() == .close(nil))
        try client.send(.close(1000))
        #expect(Ending(await test.nextRecord()) == Ending(1000, by: .server, sent: 1005))
    }

    @Test func aDroppedSocketSeesNoCloseFrame() async throws {
        let test = try TestServer()
        let client = try test.open()
        test.server.apply(.drop)
        #expect(try client.readToEnd() == [])
        #expect(Ending(await test.nextRecord()) == Ending(1006, by: .server, sent: nil))
    }

    @Test(
        arguments: [
            ([0x81, 0x01, 0x61], 1002), ([0xC1, 0x80, 0, 0, 0, 0], 1002), ([0x83, 0x80, 0, 0, 0, 0], 1002),
            ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007), ([0x88, 0x81, 0, 0, 0, 0, 3], 1002),
            ([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xED], 1002), ([0x82, 0xFE, 0x04, 0x01, 0, 0, 0, 0], 1009),
        ] as [([UInt8], UInt16)])
    func aBrokenRuleEndsTheSocketWithItsCode(bytes: [UInt8], code: UInt16) async throws {
        var options = ServerOptions()
        options.maximumMessageBytes = 1024
        let test = try TestServer(options)
        let client = try test.open()
        try client.send(bytes)
        let frame = try #require(try client.readFrame())
        #expect(frame.opcode == .close)
        #expect(try ClosePayload.decode(frame.payload).code == code)
        #expect(try client.readFrame() == nil)
        let record = try #require(await test.nextRecord())
        #expect(Ending(record) == Ending(1006, by: .server, sent: code))
        #expect(record.note?.isEmpty == false)
    }

    @Test func stoppingClosesEverySocketWith1001() async throws {
        let test = try TestServer()
        let clients = try (0..<5).map { _ in try test.open() }
        let halfway = try RawClient(port: test.port)
        try halfway.send("GET / HTTP/1.1\r\n")
        let server = test.server
        async let stopped: Void = server.stop(reason: "bye")
        try await offThePool {
            for client in clients {
                #expect(try client.readFrame() == .close(1001, "bye"))
                try client.send(.close(1001))
                #expect(try client.readFrame() == nil)
                client.close()
            }
            #expect(try halfway.readHead().startLine.contains("503"))
            halfway.close()
        }
        await stopped
        let endings = Array(repeating: Ending(1001, by: .server, sent: 1001), count: 5)
        #expect(server.records.compactMap(Ending.init) == endings)
        #expect(test.server.refusals.map(\.status) == [503])
        #expect(test.server.counters.open == 0)
        #expect(throws: RawClient.Failure.self) { try RawClient(port: test.port) }
    }

    @Test func killingDropsEverySocket() async throws {
        let test = try TestServer()
        let client = try test.open()
        await test.server.kill()
        #expect(try client.readToEnd() == [])
        #expect(test.server.records.compactMap(Ending.init) == [Ending(1006, by: .server, sent: nil)])
        // It can be started again.
        #expect(try test.server.start(port: test.port) == test.port)
        _ = try test.open()
    }

    @Test func releasingTheServerEndsItsSockets() async throws {
        let (records, continuation) = AsyncStream<LedgerEntry>.makeStream()
        var server: LedgerServer? = LedgerServer { event in
            if case .recorded(let entry) = event { continuation.yield(entry) }
        }
        let client = try RawClient.open(port: try #require(try server?.start()))
        server = nil
        #expect(try client.readToEnd() == [])
        var iterator = records.makeAsyncIterator()
        #expect(Ending(await iterator.next()?.socket) == Ending(1006, by: .server, sent: nil))
    }
}
