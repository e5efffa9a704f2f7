import ConnectionCore
import ConnectionLedger
import LedgerServer
import RawClient

/// A server on a free port, and its events in order. A test that waits for an event that never comes ends at the time
/// limit of its suite.
final class TestServer {
    let server: LedgerServer
    let port: UInt16
    private var events: AsyncStream<ServerEvent>.Iterator

    init(_ options: ServerOptions = ServerOptions(), _ behaviour: Behaviour = Behaviour()) throws {
        let (stream, continuation) = AsyncStream<ServerEvent>.makeStream()
        server = LedgerServer(options, behaviour: behaviour) { continuation.yield($0) }
        port = try server.start()
        events = stream.makeAsyncIterator()
    }

    func open(_ path: String = "/", headers: [String] = []) throws -> RawClient {
        try RawClient.open(port: port, path, headers: headers)
    }

    /// The next line of the ledger.
    func nextEntry() async -> LedgerEntry? {
        while let event = await events.next(isolation: nil) {
            switch event {
            case .opened: continue
            case .recorded(let entry): return entry
            }
        }
        return nil
    }

    func nextRecord() async -> SocketRecord? { await nextEntry()?.socket }

    /// The next socket that opens.
    func nextOpened() async -> OpenSocket? {
        while let event = await events.next(isolation: nil) {
            switch event {
            case .opened(let socket): return socket
            case .recorded: continue
            }
        }
        return nil
    }
}

/// What a record says about the end, to compare in one go.
struct Ending: Equatable {
    var code: UInt16
    var reason: String
    var closedBy: SocketRecord.Closer
    var sent: UInt16?

    init(_ code: UInt16, _ reason: String = "", by closer: SocketRecord.Closer, sent: UInt16?) {
        self.code = code
        self.reason = reason
        closedBy = closer
        self.sent = sent
    }

    init?(_ record: SocketRecord?) {
        guard let record else { return nil }
        self.init(record.code, record.reason, by: record.closedBy, sent: record.sentCode)
    }
}
