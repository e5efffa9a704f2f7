import Foundation
import GleapRealtime
import SteadySocket
import SteadySocketTestKit
import Testing

/// What each kind of answer, or none, leads to.
@Suite struct RetryTests {
    private func waiting(_ rig: Rig) -> (error: GleapError, delay: Duration)? {
        guard case .waiting(_, let error, let delay, _) = rig.state else { return nil }
        return (error, delay)
    }

    @Test(
        "what will not get better is not tried again, and says what is wrong",
        arguments: [
            (401, "", GleapError.Code.refused, "401"), (403, "{}", .refused, "403"), (404, "<html>", .refused, "404"),
            (301, "", .redirected, "redirects are not followed"), (307, "{}", .redirected, "apiURL"),
            (101, "", .unexpectedStatus, "101"), (0, "", .unexpectedStatus, "0"),
            (200, "{}", .missingField, "gleapId"), (200, #"{"gleapId":"a"}"#, .missingField, "gleapHash"),
            (200, #"{"gleapId":1,"gleapHash":"a"}"#, .missingField, "gleapId"),
            (200, #"{"gleapId":"","gleapHash":"a"}"#, .missingField, "gleapId"),
            (200, #"{"gleapId":"a\r\nX: y","gleapHash":"a"}"#, .missingField, "gleapId"),
            (200, #"{"gleapId":"a","gleapHash":"b c"}"#, .missingField, "gleapHash"),
        ])
    func givenUp(status: Int, body: String, code: GleapError.Code, words: String) async throws {
        let rig = try Rig()
        rig.on { $0.start() }
        rig.answer(status, body)
        rig.advance(.seconds(3600))
        #expect(rig.http.exchanges.count == 1)
        #expect(rig.sockets.isEmpty)
        guard case .failed(let error) = rig.state else {
            Issue.record("\(String(describing: rig.state))")
            return
        }
        #expect(error.code == code)
        #expect(error.status == status)
        #expect(error.description.contains(words))
        #expect(await rig.events().failures == [code])
    }

    @Test(
        "what may pass is tried again as the backoff says, and given up after the last attempt",
        arguments: [
            (500, "", GleapError.Code.serviceFailure), (503, "{}", .serviceFailure), (599, "", .serviceFailure),
            (429, "", .tooManyRequests), (200, "", .emptyAnswer), (200, "{", .malformedAnswer),
            (200, "[]", .malformedAnswer), (200, #""text""#, .malformedAnswer), (200, "\u{FF}", .malformedAnswer),
        ])
    func triedAgain(status: Int, body: String, code: GleapError.Code) async throws {
        let rig = try Rig()
        rig.on { $0.start() }
        for base in [2.0, 4, 8, 16, 32, 60, 60] {
            rig.answer(status, body)
            let (error, delay) = try #require(waiting(rig))
            #expect(error.code == code)
            #expect((base * 0.8...base * 1.2).contains(delay.inSeconds))
            let before = rig.http.exchanges.count
            rig.advance(delay - .nanoseconds(1))
            #expect(rig.http.exchanges.count == before)
            rig.advance(.nanoseconds(1))
            #expect(rig.http.exchanges.count == before + 1)
        }
        rig.answer(status, body)
        rig.advance(.seconds(3600))
        #expect(rig.http.exchanges.count == 8)
        #expect(await rig.events().failures == [code])
    }

    @Test("the waits are those of the connection's own backoff, with its generator")
    func sameBackoff() throws {
        let backoff = Backoff(initial: .seconds(3), multiplier: 3, maximum: .seconds(20), jitter: .window)
        let rig = try Rig { $0.connection.backoff = backoff }
        var generator = SeededGenerator(seed: 1)
        rig.on { $0.start() }
        for failure in 1...6 {
            rig.answer(500, "")
            let delay = try #require(waiting(rig)).delay
            #expect(delay == backoff.delay(forFailure: failure, using: &generator))
            rig.advance(delay)
        }
    }

    @Test(
        "Retry-After R: between R and 2 R, never R itself, and R is at most 300 s",
        arguments: [(429, "7", 7.0), (503, "20", 20), (429, "100000", 300), (500, "1", 1)])
    func retryAfter(status: Int, value: String, seconds: Double) throws {
        let rig = try Rig()
        rig.on { $0.start() }
        for _ in 0..<5 {
            rig.answer(status, "", retryAfter: value)
            let delay = try #require(waiting(rig)).delay
            #expect(delay.inSeconds > seconds && delay.inSeconds <= 2 * seconds)
            rig.advance(delay)
        }
        #expect(rig.http.exchanges.count == 6)
    }

    @Test("a Retry-After that is no time counts as none", arguments: ["0", "soon", "-1", ""])
    func uselessRetryAfter(value: String) throws {
        let rig = try Rig()
        rig.on { $0.start() }
        rig.answer(429, "", retryAfter: value)
        #expect((1.6...2.4).contains(try #require(waiting(rig)).delay.inSeconds))
    }

    @Test("an answer that does not come is given up after the timeout, cancelled and tried again")
    func timeout() throws {
        let rig = try Rig { $0.requestTimeout = .seconds(7) }
        rig.on { $0.start() }
        let slow = try #require(rig.http.exchanges.first)
        #expect(slow.request.timeout == .seconds(7))
        rig.advance(.milliseconds(6999))
        #expect(!slow.isCancelled)
        rig.advance(.milliseconds(1))
        #expect(slow.isCancelled)
        #expect(waiting(rig)?.error.code == .timedOut)
        // Too late.
        rig.queue.sync { slow.complete(.success(HTTPAnswer(status: 200, body: Data(Rig.contact(9).utf8)))) }
        #expect(rig.realtime?.session == nil)
        rig.advance(.seconds(3))
        rig.answer(contact: 1)
        #expect(rig.state == .ready)
    }

    @Test("a client that says no itself is tried again too")
    func network() throws {
        let rig = try Rig()
        rig.on { $0.start() }
        rig.queue.sync { rig.http.exchanges[0].complete(.failure(GleapError(.network, "no route"))) }
        #expect(waiting(rig)?.error.code == .network)
        rig.advance(.seconds(3))
        rig.answer(contact: 1)
        #expect(rig.state == .ready)
    }

    @Test("a start that was given up is tried again by start, identify and the return to the foreground")
    func again() throws {
        let rig = try Rig()
        rig.on { $0.start() }
        rig.answer(401, "")
        rig.on { $0.start() }
        #expect(rig.http.exchanges.count == 2)
        rig.answer(401, "")
        try rig.on { try $0.identify(GleapUser(id: "mary")) }
        #expect(rig.http.exchanges.count == 3)
        rig.answer(401, "")
        rig.lifecycle.state = .background
        rig.lifecycle.state = .foreground
        rig.queue.sync {}
        #expect(rig.http.exchanges.count == 4)
        rig.answer(contact: 1)
        // The identify of before waited for the session all the time.
        #expect(rig.http.exchanges.last?.body["userId"] == "mary")
    }

    @Test("an identify that is refused is given up; the session and its socket go on")
    func identifyRefused() async throws {
        let rig = try Rig()
        rig.startAsGuest()
        try rig.on { try $0.identify(GleapUser(id: "mary")) }
        rig.answer(403, "")
        rig.advance(.seconds(3600))
        #expect(rig.http.exchanges.count == 2)
        #expect(rig.state == .ready)
        #expect(rig.transport.liveCount == 1)
        // Nothing was acknowledged, so the same identify is sent again.
        try rig.on { try $0.identify(GleapUser(id: "mary")) }
        #expect(rig.http.exchanges.count == 3)
        #expect(await rig.events().failures == [.refused])
    }

    @Test("a newer identify takes the place of one that waits to be tried again, and its wait")
    func newerWhileWaiting() throws {
        let rig = try Rig()
        rig.startAsGuest()
        try rig.on { try $0.identify(GleapUser(id: "mary")) }
        rig.answer(429, "", retryAfter: "60")
        let delay = try #require(waiting(rig)).delay
        try rig.on { try $0.identify(GleapUser(id: "john")) }
        rig.advance(delay - .nanoseconds(1))
        #expect(rig.http.exchanges.count == 2)
        rig.advance(.nanoseconds(1))
        #expect(rig.http.exchanges.last?.body["userId"] == "john")
        rig.answer(contact: 2, user: "john")
        #expect(rig.http.exchanges.count == 3)
    }

    @Test("a suspended process finds its call overdue, tries again, and sends nothing twice")
    func suspended() throws {
        let rig = try Rig()
        rig.on { $0.start() }
        rig.queue.sync { rig.time.suspend(for: .seconds(3600)) }
        rig.advance(.zero)
        #expect(waiting(rig)?.error.code == .timedOut)
        rig.advance(.seconds(3))
        #expect(rig.http.exchanges.count == 2)
    }
}
