import Foundation
import GleapRealtime
import PeerSupport
import SteadySocket
import Testing

/// Real HTTP calls and real sockets, as the service sees them.
@Suite struct ServiceTests {
    @Test("start then identify: exactly one socket, carrying the identified credentials; the same again: nothing")
    func startThenIdentify() async throws {
        let service = try await GleapService()
        let client = try Client(service)
        client.realtime.start()
        let mary = GleapUser(id: "mary", hash: "proof", name: "Mary", email: "mary@example.com")
        try client.realtime.identify(mary)
        let open = try await service.nextOpen()
        #expect(open.contact == "mary")
        let session = try #require(client.realtime.session)
        #expect(session.userID == "mary")
        let parts = try #require(URLComponents(string: open.path ?? ""))
        let query = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
        #expect(
            query == [
                "gleapId": session.gleapID, "gleapHash": session.gleapHash, "apiKey": GleapService.apiKey,
                "sdkVersion": "1.0",
            ])
        try client.realtime.identify(mary)
        _ = try await client.next("unchanged") { $0 == .unchanged(.identify) }
        try await client.roundTrip(service, 1)
        client.realtime.stop()
        #expect(try await service.nextClosed().code == 1000)
        #expect(try await service.calls() == ["/sessions", "/sessions/identify"])
        #expect(try await service.opened() == ["mary"])
    }

    @Test("what the calls hold, as the service reads it")
    func calls() async throws {
        let service = try await GleapService()
        let client = try Client(service)
        client.realtime.start()
        try client.realtime.identify(GleapUser(id: "mary", hash: "proof", customData: ["plan": "pro"]))
        let start = try await service.nextCall("/sessions")
        #expect(start.headers?["api-token"] == GleapService.apiKey)
        #expect(start.headers?["gleap-id"] == nil && start.headers?["gleap-hash"] == nil)
        #expect(start.headers?["content-type"] == "application/json")
        #expect(start.body == #"{"deviceType":"desktop","lang":"en","platform":"Linux"}"#)
        let identify = try await service.nextCall("/sessions/identify")
        #expect(identify.headers?["gleap-id"] == "id1+/=")
        #expect(identify.headers?["gleap-hash"] == "hash1&=%?#+/")
        let body = try JSONDecoder().decode([String: JSONValue].self, from: Data((identify.body ?? "").utf8))
        #expect([body["userId"], body["userHash"], body["plan"]] == ["mary", "proof", "pro"])
        try client.realtime.updateContact(GleapContact(name: "Mary"))
        #expect(try await client.answered(.update).fields["name"] == "Mary")
    }

    @Test("another identity: the old socket is closed with 1000, a new one opened")
    func identityChange() async throws {
        let service = try await GleapService()
        let client = try Client(service)
        client.realtime.start()
        #expect(try await service.nextOpen().contact == "guest")
        try client.realtime.identify(GleapUser(id: "mary"))
        let guest = try await service.nextClosed()
        #expect(guest.contact == "guest" && guest.code == 1000)
        #expect(try await service.nextOpen().contact == "mary")
        try client.realtime.identify(GleapUser(id: "john"))
        let mary = try await service.nextClosed()
        #expect(mary.contact == "mary" && mary.code == 1000)
        #expect(try await service.nextOpen().contact == "john")
        client.realtime.clearIdentity()
        let john = try await service.nextClosed()
        #expect(john.contact == "john" && john.code == 1000)
        #expect(try await service.nextOpen().contact == "guest")
    }

    @Test("started in the background: the calls are made, no socket until the foreground")
    func background() async throws {
        let service = try await GleapService()
        let client = try Client(service, app: .background)
        client.realtime.start()
        try client.realtime.identify(GleapUser(id: "mary"))
        try await client.answered(.identify)
        let statuses = client.realtime.connection.statuses
        try await withWatchdog("the hold") {
            for await status in statuses where status == .held(.background) { return }
        }
        #expect(try await service.opened().isEmpty)
        #expect(try await service.calls() == ["/sessions", "/sessions/identify"])
        client.lifecycle.state = .foreground
        #expect(try await service.nextOpen().contact == "mary")
        try await client.roundTrip(service, 1)
        #expect(try await service.opened() == ["mary"])
    }

    @Test("a restart of the process with a stored identity: one socket, the same contact")
    func restart() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("gleap-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let service = try await GleapService()
        let mary = GleapUser(id: "mary", name: "Mary")
        var client: Client? = try Client(service, store: FileIdentityStore(directory: directory))
        client?.realtime.start()
        try client?.realtime.identify(mary)
        let first = try await service.nextOpen()
        client = nil
        #expect(try await service.nextClosed().code == 1000)

        let again = try Client(service, store: FileIdentityStore(directory: directory))
        again.realtime.start()
        try again.realtime.identify(mary)
        let second = try await service.nextOpen()
        #expect(second.contact == "mary" && second.path == first.path)
        _ = try await again.next("unchanged") { $0 == .unchanged(.identify) }
        try await again.roundTrip(service, 1)
        again.realtime.stop()
        _ = try await service.nextClosed()
        #expect(try await service.opened() == ["mary", "mary"])
        #expect(try await service.calls() == ["/sessions", "/sessions/identify", "/sessions"])
    }

    @Test("updates arrive; unknown names, broken JSON and binary messages are counted")
    func updates() async throws {
        let service = try await GleapService()
        let client = try Client(service)
        client.realtime.start()
        _ = try await service.nextOpen()
        try await service.sendAll("no json")
        try await service.sendAll(#"{"name":"unheard-of","data":{}}"#)
        try await service.sendBinary(#"{"name":"update","data":{}}"#)
        try await client.roundTrip(service, 7)
        #expect(client.realtime.ignored == IgnoredMessages(malformed: 2, unknownName: 1, dropped: 0))
    }

    // MARK: Bad answers

    @Test(
        "what will not get better: one call, a clear error, and no socket",
        arguments: [
            (GleapService.Answer(status: 401), GleapError.Code.refused),
            (GleapService.Answer(status: 404, body: "<html>"), .refused),
            (GleapService.Answer(status: 302, headers: ["Location": "/elsewhere"]), .redirected),
            (GleapService.Answer(status: 307, headers: ["Location": "http://127.0.0.1:9/"]), .redirected),
            (GleapService.Answer(status: 308, body: "x", headers: ["Location": "/elsewhere"]), .redirected),
            (GleapService.Answer(status: 200, body: #"{"gleapId":"a"}"#), .missingField),
            (GleapService.Answer(status: 200, body: #"{"error":"no"}"#), .rejected),
        ])
    func givenUp(answer: GleapService.Answer, code: GleapError.Code) async throws {
        let service = try await GleapService()
        try await service.answer("/sessions", with: answer)
        let client = try Client(service)
        client.realtime.start()
        let error = try await client.failed()
        #expect(error.code == code && error.status == answer.status, "\(error)")
        // The next start works; until then there was nothing.
        client.realtime.start()
        _ = try await service.nextOpen()
        #expect(try await service.calls() == ["/sessions", "/sessions"])
    }

    @Test(
        "what may pass is tried again, and then there is one socket",
        arguments: [
            (GleapService.Answer(status: 500), GleapError.Code.serviceFailure),
            (GleapService.Answer(status: 200, body: "{"), .malformedAnswer),
            (GleapService.Answer(status: 200, body: ""), .emptyAnswer),
            (GleapService.Answer(status: 204), .emptyAnswer),
            (GleapService.Answer(hangs: true), .timedOut),
        ])
    func triedAgain(answer: GleapService.Answer, code: GleapError.Code) async throws {
        let service = try await GleapService()
        try await service.answer("/sessions", with: answer, times: 2)
        // Long enough for an answer on a busy machine, and short enough not to wait for long.
        let client = try Client(service) { if answer.hangs { $0.requestTimeout = .milliseconds(800) } }
        client.realtime.start()
        #expect(try await client.waiting().error.code == code)
        #expect(try await client.waiting().error.code == code)
        #expect(try await service.nextOpen().contact == "guest")
        #expect(try await service.calls() == ["/sessions", "/sessions", "/sessions"])
    }

    @Test("500 for ever: the attempts are bounded")
    func bounded() async throws {
        let service = try await GleapService()
        try await service.answer("/sessions", with: .init(status: 500), times: 100)
        let client = try Client(service) {
            $0.maximumAttempts = 4
            $0.connection.backoff.maximum = .milliseconds(30)
        }
        client.realtime.start()
        #expect(try await client.failed().code == .serviceFailure)
        #expect(try await service.calls().count == 4)
    }

    @Test("429 with Retry-After: 1 is tried again after more than a second")
    func retryAfter() async throws {
        let service = try await GleapService()
        try await service.answer("/sessions", with: .init(status: 429, headers: ["Retry-After": "1"]))
        let client = try Client(service)
        let clock = ContinuousClock()
        client.realtime.start()
        let (error, delay) = try await client.waiting()
        let begin = clock.now
        #expect(error.code == .tooManyRequests)
        #expect(delay > .seconds(1) && delay <= .seconds(2))
        _ = try await service.nextOpen()
        // The clock was read a moment after the wait began.
        #expect(clock.now - begin > .milliseconds(900))
        #expect(try await service.calls().count == 2)
    }

    @Test("an identify answered with an error: the old socket goes, a fresh guest comes, once")
    func rejected() async throws {
        let service = try await GleapService()
        let client = try Client(service)
        client.realtime.start()
        let first = try await service.nextOpen()
        try await service.answer("/sessions/identify", with: .init(body: #"{"errors":["no such user"]}"#))
        try client.realtime.identify(GleapUser(id: "mary"))
        #expect(try await client.failed().code == .rejected)
        #expect(try await service.nextClosed().code == 1000)
        let second = try await service.nextOpen()
        #expect(second.contact == "guest" && second.path != first.path)
        #expect(try await service.calls() == ["/sessions", "/sessions/identify", "/sessions"])
    }

    @Test("a service that is not there: tried again, no crash, no socket")
    func nobody() async throws {
        let service = try await GleapService()
        service.stop()
        _ = try? await service.nextCall("/sessions")
        let client = try Client(service) {
            $0.maximumAttempts = 3
            $0.connection.backoff.maximum = .milliseconds(30)
        }
        client.realtime.start()
        let error = try await client.failed()
        #expect(error.code == .network && error.underlying?.isEmpty == false)
    }
}
