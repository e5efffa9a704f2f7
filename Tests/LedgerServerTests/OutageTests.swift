import ConnectionCore
import ConnectionLedger
import LedgerServer
import RawClient
import Testing
import WebSocketWire

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite(.serialized, .timeLimit(.minutes(1))) struct OutageTests {
    @Test func anUnreachableServerComesBackOnItsPort() async throws {
        let test = try TestServer()
        let client = try test.open()
        let server = test.server
        async let down: Void = server.goDown()
        try await offThePool {
            #expect(try client.readFrame() == .close(1012))
            try client.send(.close(1012))
        }
        await down
        #expect(throws: RawClient.Failure.system("connect", ECONNREFUSED)) { try RawClient(port: test.port) }
        #expect(Ending(await test.nextRecord()) == Ending(1012, by: .server, sent: 1012))
        await test.server.comeUp()
        _ = try test.open()
        #expect(test.server.counters.refusals == 0)
    }

    @Test func nobodyElseGetsThePortDuringAnOutage() async throws {
        let test = try TestServer()
        await test.server.goDown()
        #expect(RawClient.bind(port: test.port) == EADDRINUSE)
        await test.server.stop()
        #expect(RawClient.bind(port: test.port) == 0)
    }

    @Test func attemptsDuringAnOutageAreCounted() async throws {
        let test = try TestServer()
        await test.server.goDown(.dropping, ending: .drop)
        for _ in 0..<3 { #expect(try RawClient(port: test.port).readToEnd() == []) }
        for _ in 0..<3 {
            let entry = try #require(await test.nextEntry()?.refusal)
            #expect(entry.status == nil)
        }
        await test.server.goDown(.refusing(Refusal(503, retryAfter: "1")), ending: .drop)
        let head = try RawClient(port: test.port).upgrade()
        #expect(head.startLine.contains("503") && head["retry-after"] == "1")
        #expect(await test.nextEntry()?.refusal?.status == 503)
        await test.server.comeUp()
        _ = try test.open()
        #expect(test.server.counters.connections == 5)
    }

    @Test(arguments: [Outage.unreachable, .dropping, .refusing(Refusal(503))])
    func aRestartEndsByItself(outage: Outage) async throws {
        let test = try TestServer()
        let client = try test.open()
        test.server.restart(for: .milliseconds(50), outage, ending: .close(.serviceRestart, reason: "new version"))
        #expect(try client.readFrame() == .close(1012, "new version"))
        try client.send(.close(1012))
        #expect(Ending(await test.nextRecord()) == Ending(1012, by: .server, sent: 1012))
        // Until the watchdog ends the test.
        while true {
            if let again = try? test.open() {
                try again.send(.text("back"))
                #expect(try again.readFrame() == .text("back"))
                break
            }
            await Task.yield()
        }
    }

    @Test func stoppingEndsARestart() async throws {
        let test = try TestServer()
        test.server.restart(for: .milliseconds(1))
        await test.server.stop()
        #expect(throws: RawClient.Failure.system("connect", ECONNREFUSED)) { try RawClient(port: test.port) }
    }

    @Test func commandsMayComeFromTheEventHandler() async throws {
        let box = Box()
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let server = LedgerServer { event in
            guard case .opened(let socket) = event else { return }
            box.server?.apply(.close(CloseCode(rawValue: 4000)), to: .one(socket.id))
            continuation.yield(box.server?.counters.open ?? -1)
        }
        box.server = server
        let client = try RawClient.open(port: try server.start())
        #expect(try client.readFrame() == .close(4000))
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next() == 1)
    }

    // Written before the server starts, read on its queue afterwards.
    private final class Box: @unchecked Sendable {
        weak var server: LedgerServer?
    }
}
