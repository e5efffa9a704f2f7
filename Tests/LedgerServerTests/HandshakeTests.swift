import ConnectionCore
import ConnectionLedger
import LedgerServer
import RawClient
import Testing
import WebSocketWire

@Suite(.serialized, .timeLimit(.minutes(1))) struct HandshakeTests {
    @Test func aSocketOpensAndEchoes() async throws {
        var options = ServerOptions()
        options.queryItems = ["session"]
        let test = try TestServer(options)
        let client = try RawClient(port: test.port)
        let head = try client.upgrade(
            "/live?session=s1&token=secret", headers: ["Sec-WebSocket-Protocol: chat, other"])
        #expect(head.startLine == "HTTP/1.1 101 Switching Protocols")
        #expect(head["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(head["sec-websocket-protocol"] == "chat")
        let opened = await test.nextOpened()
        #expect(opened?.path == "/live")
        #expect(opened?.query == ["session": "s1"])

        try client.send(.text("grüß"))
        #expect(try client.readFrame() == .text("grüß"))
        try client.send(RawClient.Frame(.binary, [0, 255]))
        #expect(try client.readFrame() == RawClient.Frame(.binary, [0, 255]))
        try client.send(.close(1000))
        #expect(try client.readFrame() == .close(1000))
        #expect(try client.readFrame() == nil)

        let record = try #require(await test.nextRecord())
        #expect(record.path == "/live" && record.query == ["session": "s1"])
        #expect(record.messagesIn == 2 && record.messagesOut == 2)
        #expect(record.bytesIn == 8 && record.bytesOut == 8)
        #expect(record.seconds >= 0 && record.closed >= record.opened)
        #expect(record.peer.hasPrefix("127.0.0.1:"))
        let line = String(decoding: try LedgerLines.encode(.socket(record)), as: UTF8.self)
        #expect(!line.contains("secret") && !line.contains("token"))
    }

    @Test func framesBehindTheRequestAreNotLost() async throws {
        let test = try TestServer()
        let client = try RawClient(port: test.port)
        try client.send(Array(RawClient.request().utf8) + RawClient.encode(.text("early")))
        #expect(try client.readHead().startLine.contains("101"))
        #expect(try client.readFrame() == .text("early"))
    }

    @Test func aRequestMayArriveByteByByte() throws {
        let test = try TestServer()
        let client = try RawClient(port: test.port)
        for byte in RawClient.request().utf8 { try client.send([byte]) }
        #expect(try client.readHead().startLine.contains("101"))
    }

    @Test func fragmentsAreJoinedAndPingsAnsweredBetweenThem() async throws {
        let test = try TestServer()
        let client = try test.open()
        try client.send(RawClient.Frame(.text, Array("a".utf8), isFinal: false))
        try client.send(RawClient.Frame(.ping, [1, 2, 3]))
        #expect(try client.readFrame() == RawClient.Frame(.pong, [1, 2, 3]))
        try client.send(RawClient.Frame(.continuation, Array("b".utf8)))
        #expect(try client.readFrame() == .text("ab"))
        try client.send(RawClient.Frame(.pong, []))
        try client.send(.close(nil))
        _ = try client.readToEnd()
        let record = await test.nextRecord()
        #expect(record?.pingsIn == 1 && record?.messagesIn == 1)
    }

    @Test func aLargeMessageComesBackWhole() throws {
        let test = try TestServer()
        let client = try test.open()
        // More than the server queues and more than loopback buffers, with a length of eight bytes.
        let large = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0) }
        try client.send(RawClient.Frame(.binary, large))
        #expect(try client.readFrame() == RawClient.Frame(.binary, large))
    }

    @Test func aClientThatReadsLateLosesNothing() async throws {
        var options = ServerOptions()
        options.maximumQueuedBytes = 1 << 16
        let test = try TestServer(options)
        let client = try test.open()
        // More than every buffer on the way holds: the server stops reading, and the client's writes wait.
        let message = RawClient.Frame(.binary, [UInt8](repeating: 7, count: 1 << 20))
        // Two threads at one client: this one writes, the other one reads.
        async let sent: Void = offThePool { for _ in 0..<32 { try client.send(message) } }
        try await offThePool {
            for _ in 0..<32 {
                let frame = try client.readFrame()
                #expect(frame == message)
            }
        }
        try await sent
        try client.send(.close(1000))
        _ = try client.readToEnd()
        #expect(await test.nextRecord()?.bytesOut == 32 << 20)
    }

    @Test(arguments: [
        ("NONSENSE", 0, 400), ("GET / HTTP/1.1\r\nHost: a", 0, 426), ("\u{16}\u{3}\u{1}\u{2}", 0, 400),
        ("", 20_000, 431),
        ("GET / HTTP/1.1\r\nX: ", 17_000, 431),
    ])
    func whatIsNoUpgradeIsRefusedAndCounted(request: String, filler: Int, status: Int) async throws {
        let test = try TestServer()
        let client = try RawClient(port: test.port)
        try client.send(request + String(repeating: "x", count: filler) + "\r\n\r\n")
        #expect(try client.readHead().startLine.hasPrefix("HTTP/1.1 \(status) "))
        _ = try client.readToEnd()
        let entry = await test.nextEntry()
        #expect(entry?.refusal?.status == status)
        #expect(test.server.counters.refusals == 1 && test.server.counters.opened == 0)
    }

    @Test func aSlowRequestIsRefused() async throws {
        var options = ServerOptions()
        options.headTimeout = .milliseconds(50)
        let test = try TestServer(options)
        let client = try RawClient(port: test.port)
        try client.send("GET / HTTP/1.1\r\n")
        #expect(try client.readHead().startLine.hasPrefix("HTTP/1.1 408 "))
        let entry = await test.nextEntry()
        #expect(entry?.refusal?.status == 408)
    }

    @Test func aClientThatLeavesBeforeTheAnswerIsCounted() async throws {
        let test = try TestServer()
        let client = try RawClient(port: test.port)
        try client.send("GET /")
        client.close()
        let entry = try #require(await test.nextEntry()?.refusal)
        #expect(entry.status == nil)
    }

    @Test func aTakenPortIsAnErrorThatSaysSo() throws {
        let test = try TestServer()
        let other = LedgerServer()
        let error = #expect(throws: SystemError.self) { try other.start(port: test.port) }
        #expect(error?.description == "cannot listen on 127.0.0.1:\(test.port): Address already in use")
        var options = ServerOptions()
        options.host = "example.com"
        let named = #expect(throws: SystemError.self) { try LedgerServer(options).start() }
        #expect(named?.description.contains("not a numeric address") == true)
    }
}
