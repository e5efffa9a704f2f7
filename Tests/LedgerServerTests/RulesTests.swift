import ConnectionCore
import RawClient
import Testing

@testable import LedgerServer

/// The rules that need no socket: upgrade requests, the accept rate, the deadlines.
@Suite struct RulesTests {
    // MARK: Upgrade requests

    private func refusal(_ request: String) -> Refusal? {
        do throws(Refusal) {
            _ = try UpgradeRequest(head: request.utf8)
            return nil
        } catch {
            return error
        }
    }

    @Test func aGoodRequestIsRead() throws {
        let request = try UpgradeRequest(
            head: RawClient.request(
                "/a/b?x=1&tok%65n=s%20p+c&x=2&bad=%zz&empty&=n",
                headers: [
                    "Sec-WebSocket-Protocol: chat, v2", "Sec-WebSocket-Protocol: v3",
                ]
            ).utf8)
        #expect(request.path == "/a/b")
        #expect(request.subprotocols == ["chat", "v2", "v3"])
        #expect(
            request.items(named: ["x", "token", "bad", "empty", "absent"]) == [
                "x": "1", "token": "s p+c", "bad": "%zz", "empty": "",
            ])
        #expect(request.items(named: []).isEmpty)
        let answer = String(decoding: request.acceptance(subprotocol: "chat"), as: UTF8.self)
        #expect(answer.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(answer.contains("\r\nSec-WebSocket-Protocol: chat\r\n"))
    }

    @Test(arguments: [
        ("GET / HTTP/1.1", "GET / HTTP/1.0", 400), ("GET / HTTP/1.1", "GET /", 400),
        ("GET / HTTP/1.1", "POST / HTTP/1.1", 405), ("GET / HTTP/1.1", "GET http://x/ HTTP/1.1", 400),
        ("Host: localhost", "X: y", 400), ("Host: localhost", "Host: a\r\nHost: b", 400),
        ("Upgrade: websocket", "Upgrade: h2c", 426), ("Connection: Upgrade", "Connection: close", 400),
        ("Version: 13", "Version: 8", 426), ("Version: 13", "Versio: 13", 426),
        ("dGhlIHNhbXBsZSBub25jZQ==", "c2hvcnQ=", 400), ("Sec-WebSocket-Key", "X-Key", 400),
        ("Host: localhost", "Host: localhost\r\nContent-Length: 5", 400),
        ("Host: localhost", "Host: localhost\r\nTransfer-Encoding: chunked", 400),
        ("Host: localhost", "Host: localhost\r\nSec-WebSocket-Protocol: a b", 400),
        ("Host: localhost", "Host: localhost\r\nno colon here", 400),
        ("Host: localhost", "Host: local\u{1}host", 400),
    ])
    func aBadRequestIsRefused(good: String, bad: String, status: Int) {
        let request = RawClient.request()
        #expect(refusal(request) == nil)
        let changed = request.replacing(good, with: bad)
        #expect(changed != request)
        #expect(refusal(changed)?.status == status)
    }

    @Test func refusalsSayWhatToDo() {
        let old = refusal(RawClient.request().replacing("Version: 13", with: "Version: 8"))
        #expect(old?.headers.contains("Sec-WebSocket-Version: 13") == true)
        let text = String(decoding: Refusal(503, retryAfter: "7").response, as: UTF8.self)
        #expect(
            text == "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n"
                + "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 0\r\nRetry-After: 7\r\n\r\n")
    }

    // MARK: Accept rate

    @Test func theRateIsKeptOverTime() {
        var pacer = AcceptPacer(perSecond: 50)
        var accepted = 0
        // Asked every millisecond for ten seconds.
        for millisecond in 0..<10_000 {
            if pacer.take(at: Instant(nanoseconds: Int64(millisecond) * 1_000_000)) { accepted += 1 }
        }
        // 500, and what a tenth of a second may have saved up before.
        #expect((500...505).contains(accepted))
    }

    @Test func lateTurnsAreCaughtUpWithOnlyForATenthOfASecond() {
        var pacer = AcceptPacer(perSecond: 100)
        func burst(at milliseconds: Int64) -> Int {
            var count = 0
            while pacer.take(at: Instant(nanoseconds: milliseconds * 1_000_000)) { count += 1 }
            return count
        }
        #expect(burst(at: 0) == 10)
        #expect(burst(at: 30) == 3)
        #expect(burst(at: 60_000) == 10)
        #expect(pacer.nextTurn == Instant(nanoseconds: 60_010 * 1_000_000))
    }

    @Test func aSlowRateHasNoBurst() {
        var pacer = AcceptPacer(perSecond: 0.5)
        let turns = [0, 1_999_999_999, 2_000_000_000].map { pacer.take(at: Instant(nanoseconds: $0)) }
        #expect(turns == [true, false, true])
        var almostNever = AcceptPacer(perSecond: 1e-300)
        let years = [0, 1_000_000_000_000_000_000].map { almostNever.take(at: Instant(nanoseconds: $0)) }
        #expect(years == [true, false])
    }

    // MARK: Deadlines

    @Test func deadlinesComeInOrder() {
        var deadlines = Deadlines()
        // Scattered, with every time twice.
        let times = (0..<1000).map { Int64($0 * 7919 % 500) }
        for (index, time) in times.enumerated() {
            deadlines.add(.head(UInt64(index)), at: Instant(nanoseconds: time))
        }
        #expect(deadlines.next == Instant(nanoseconds: times.min()!))
        var last = Int64.min
        for _ in times {
            guard let next = deadlines.next, case .head(let index) = deadlines.popDue(at: next) else {
                Issue.record("a deadline is missing")
                return
            }
            #expect(times[Int(index)] == next.nanoseconds && next.nanoseconds >= last)
            last = next.nanoseconds
        }
        #expect(deadlines.next == nil)
    }

    @Test func aDeadlineIsNotDueEarly() {
        var deadlines = Deadlines()
        deadlines.add(.turn, at: Instant(nanoseconds: 10))
        let early = deadlines.popDue(at: Instant(nanoseconds: 9))
        let due = deadlines.popDue(at: Instant(nanoseconds: 10))
        let again = deadlines.popDue(at: Instant(nanoseconds: 11))
        #expect(early == nil)
        #expect(due != nil)
        #expect(again == nil)
    }
}
