import ConnectionCore
import ConnectionLedger
import LedgerServer
import RawClient
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct ManySocketsTests {
    init() { LedgerServer.raiseDescriptorLimit() }

    @Test func everyOneOfTwoThousandSocketsHasExactlyOneRecord() async throws {
        let count = 2000
        let test = try TestServer()
        // All open at the same time, then each ends in one of four ways.
        let clients = try (0..<count).map { try test.open("/\($0)") }
        #expect(test.server.counters.open == count)
        for (index, client) in clients.enumerated() {
            switch index % 4 {
            case 0: try client.send(.close(1000))
            case 1: try client.send(.close(nil))
            case 2: client.close()
            default: client.reset()
            }
        }
        for (index, client) in clients.enumerated() where index % 4 < 2 {
            _ = try client.readToEnd()
            client.close()
        }
        var byPath: [String: SocketRecord] = [:]
        for _ in 0..<count {
            let record = try #require(await test.nextRecord())
            #expect(byPath.updateValue(record, forKey: record.path) == nil, "\(record.path) has two records")
        }
        for index in 0..<count {
            let expected: UInt16 = [1000, 1005, 1006, 1006][index % 4]
            #expect(byPath["/\(index)"]?.code == expected)
        }
        #expect(Set(byPath.values.map(\.id)).count == count)
        await test.server.stop()
        #expect(test.server.records.count == count)
        #expect(test.server.counters.open == 0 && test.server.counters.opened == count)
    }

    @Test func twoThousandSocketsAreClosedByAStop() async throws {
        let count = 2000
        var options = ServerOptions()
        options.closingTimeout = .seconds(30)
        let test = try TestServer(options)
        let clients = try (0..<count).map { _ in try test.open() }
        let server = test.server
        async let stopped: Void = server.stop()
        try await offThePool {
            for client in clients {
                #expect(try client.readFrame() == .close(1001))
                try client.send(.close(1001))
            }
            for client in clients { client.close() }
        }
        await stopped
        var statistics = LedgerStatistics()
        statistics.add(server.entries)
        #expect(statistics.connects == count)
        #expect(statistics.closeCodes == [1001: count])
        #expect(statistics.closers == [.server: count])
    }
}
