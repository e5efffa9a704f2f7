#if os(Linux)
import CurlTransport
import Dispatch
import Glibc
import SteadySocket
import Synchronization

/// Sockets of one transport, and what they reported.
final class Sockets: Sendable {
    private struct Tally {
        var opened = 0
        var closed = 0
        var pongs = 0
        var firstError: String?
    }

    private let transport: CurlTransport
    private let tally = Mutex(Tally())
    private let sockets = Mutex<[any TransportSocket]>([])

    init() { transport = CurlTransport() }

    var pongs: Int { tally.withLock { $0.pongs } }

    /// Opens `count` more and waits until all are open.
    func open(_ request: ConnectionRequest, count: Int) {
        let wanted = tally.withLock { $0.opened } + count
        // Thousands at once would not fit the 15 s of one handshake on a slow host; that is not measured here.
        let limits = TransportLimits(openingHandshake: .seconds(300))
        for _ in 0..<count {
            let socket = transport.open(request, attempt: AttemptID(1), limits: limits) { [self] in take($0) }
            // Idle sockets have a consumer that waits.
            socket.receive(1)
            sockets.withLock { $0.append(socket) }
        }
        wait("\(wanted) sockets to open") { $0.opened == wanted }
    }

    /// Pings every socket once per `period` seconds, evenly spread but for `atOnce` at a time, until `duration` seconds
    /// are over and all are answered. The share of a core includes the thread that does it.
    func pingEach(every period: Double, for duration: Double, atOnce: Int) -> (pings: Int, coreShare: Double) {
        let all = sockets.withLock { $0 }
        let interval = period / Double(all.count)
        let answered = pongs
        let start = seconds()
        let processor = processorSeconds()
        var pings = 0
        while Double(pings) * interval < duration {
            let left = start + Double(pings) * interval - seconds()
            if left > 0 { usleep(UInt32(left * 1e6)) }
            for index in pings..<(pings + atOnce) { all[index % all.count].ping() }
            pings += atOnce
        }
        wait("\(pings) pongs") { $0.pongs == answered + pings }
        return (pings, (processorSeconds() - processor) / (seconds() - start))
    }

    /// Closes all with 1000 and waits until each has ended.
    func close() {
        let all = sockets.withLock { $0 }
        for socket in all { socket.close(code: .normalClosure, reason: "") }
        wait("\(all.count) sockets to close", mayClose: true) { $0.closed == all.count }
    }

    private func take(_ fact: TransportFact) {
        tally.withLock {
            switch fact {
            case .opened: $0.opened += 1
            case .pongReceived: $0.pongs += 1
            case .message, .pingReceived: break
            case .closed(let close):
                $0.closed += 1
                if $0.firstError == nil { $0.firstError = close.error?.description ?? "\(close.reason)" }
            }
        }
    }

    private func wait(_ what: String, mayClose: Bool = false, until isDone: (Tally) -> Bool) {
        let deadline = seconds() + 300
        while true {
            let now = tally.withLock { $0 }
            if isDone(now) { return }
            if now.closed > 0, !mayClose { fail("a socket closed: \(now.firstError ?? "no reason given")") }
            guard seconds() < deadline else { fail("waited 300 s for \(what); now \(now)") }
            usleep(1000)
        }
    }
}

func measureOpening(_ request: ConnectionRequest, count: Int) {
    let sockets = Sockets()
    // What a process does once: the loop's thread, libcurl's and OpenSSL's start.
    sockets.open(request, count: 1)
    let start = seconds()
    sockets.open(request, count: count)
    let taken = seconds() - start
    sockets.close()
    print(#"{"count":\#(count),"seconds":\#(taken)}"#)
}

func measureIdling(_ request: ConnectionRequest, count: Int, seconds duration: Int) {
    let sockets = Sockets()
    sockets.open(request, count: 1)
    let before = residentBytes()
    sockets.open(request, count: count - 1)
    let opened = residentBytes()
    // Ten times a second those that are due (the timers of the driver have a leeway of a second); then each by itself.
    let together = sockets.pingEach(every: 40, for: Double(duration), atOnce: max(1, count / 400))
    let after = residentBytes()
    let alone = sockets.pingEach(every: 40, for: Double(duration) / 3, atOnce: 1)
    sockets.close()
    print(
        """
        {"count":\(count),"bytesPerSocketOpened":\((opened - before) / count),\
        "bytesPerSocket":\((after - before) / count),"pings":\(together.pings),"coreShare":\(together.coreShare),\
        "coreShareOneByOne":\(alone.coreShare)}
        """)
}
#endif
