import Dispatch
import Foundation
import GleapRealtime
import SteadySocket
import SteadySocketTestKit
import Testing

/// Logging out, the order of calls, and what a rejected identify does.
@Suite struct ClearTests {
    @Test("logging out closes with 1000, forgets, and starts afresh as a guest")
    func clear() throws {
        let store = MemoryIdentityStore()
        let rig = try Rig(store: store)
        rig.startAsGuest()
        #expect(store.load() != nil)
        rig.on { $0.clearIdentity() }
        #expect(store.load() == nil)
        #expect(rig.realtime?.session == nil)
        #expect(rig.sockets.last?.closed?.code == .normalClosure)
        #expect(rig.http.paths == ["/v1/sessions", "/v1/sessions"])
        #expect(rig.http.exchanges.last?.request.headers["Gleap-Id"] == nil)
        rig.answer(contact: 2)
        rig.advance(.milliseconds(1500))
        #expect(rig.urls == [Rig.url(1), Rig.url(2)])
    }

    @Test("what a cancelled call still says is not heard")
    func lateAnswer() throws {
        let rig = try Rig()
        rig.on { $0.start() }
        rig.answer(contact: 1)
        try rig.on { try $0.identify(GleapUser(id: "mary")) }
        let identify = try #require(rig.http.exchanges.last)
        rig.on { $0.clearIdentity() }
        #expect(identify.isCancelled)
        rig.queue.sync {
            identify.complete(.success(HTTPAnswer(status: 200, body: .init(Rig.contact(9, user: "mary").utf8))))
        }
        #expect(rig.realtime?.session == nil)
        rig.answer(contact: 2)
        rig.advance(.seconds(2))
        #expect(rig.urls == [Rig.url(2)])
    }

    @Test("before a start it only empties the store")
    func clearBeforeStart() throws {
        let store = MemoryIdentityStore()
        try Rig(store: store).startAsGuest()
        #expect(store.load() != nil)
        let rig = try Rig(store: store)
        rig.on { $0.clearIdentity() }
        #expect(store.load() == nil)
        #expect(rig.http.exchanges.isEmpty)
        rig.on { $0.start() }
        #expect(rig.http.exchanges.last?.request.headers["Gleap-Id"] == nil)
    }

    @Test("calls of one thread take effect in their order, when they reach the queue in one burst")
    func burst() throws {
        let rig = try Rig()
        let realtime = try #require(rig.realtime)
        rig.queue.suspend()
        realtime.start()
        try realtime.identify(GleapUser(id: "mary"))
        realtime.clearIdentity()
        try realtime.identify(GleapUser(id: "john"))
        rig.queue.resume()
        rig.queue.sync {}
        rig.answer(contact: 1)
        #expect(rig.http.exchanges.last?.body["userId"] == "john")
        #expect(!rig.http.exchanges.contains { $0.body["userId"] == "mary" })
    }

    @Test("calls of one thread take effect in their order, while the queue is at work")
    func order() throws {
        let rig = try Rig()
        rig.startAsGuest()
        let realtime = try #require(rig.realtime)
        for round in 0..<500 {
            try realtime.identify(GleapUser(id: "user \(round)"))
            realtime.clearIdentity()
        }
        try realtime.identify(GleapUser(id: "the last"))
        rig.queue.sync {}
        rig.answer(contact: 2)
        rig.answer(contact: 3, user: "the last")
        #expect(rig.http.exchanges.last?.body["userId"] == "the last")
        #expect(rig.state == .ready)
        #expect(rig.realtime?.session?.gleapID == "id3")
    }

    @Test(
        "an identify answered with an error clears the session and starts one fresh session, not identified again",
        arguments: [
            (200, #"{"error":"no"}"#), (200, #"{"errors":["no"]}"#), (200, #"{"errors":{"userHash":"wrong"}}"#),
            (400, #"{"error":{"code":1}}"#), (401, #"{"errors":["no"]}"#),
        ])
    func rejected(status: Int, body: String) async throws {
        let store = MemoryIdentityStore()
        let rig = try Rig(store: store)
        rig.startAsGuest()
        try rig.on { try $0.identify(GleapUser(id: "mary")) }
        rig.answer(status, body)
        #expect(store.load() == nil)
        #expect(rig.sockets.last?.closed?.code == .normalClosure)
        #expect(rig.http.paths == ["/v1/sessions", "/v1/sessions/identify", "/v1/sessions"])
        #expect(rig.http.exchanges.last?.request.headers["Gleap-Id"] == nil)
        rig.answer(contact: 2)
        rig.advance(.seconds(600))
        #expect(rig.http.exchanges.count == 3)
        #expect(rig.urls.last == Rig.url(2))
        #expect(await rig.events().failures == [.rejected])
    }

    @Test("a service that rejects everything is asked twice, not for ever")
    func rejectsEverything() async throws {
        let rig = try Rig()
        rig.startAsGuest()
        try rig.on { try $0.identify(GleapUser(id: "mary")) }
        rig.answer(200, #"{"error":"no"}"#)
        rig.answer(200, #"{"error":"no"}"#)
        rig.advance(.seconds(3600))
        #expect(rig.http.exchanges.count == 3)
        guard case .failed(let error) = rig.state else {
            Issue.record("\(String(describing: rig.state))")
            return
        }
        #expect(error.code == .rejected)
        #expect(rig.transport.liveCount == 0)
        #expect(await rig.events().failures == [.rejected, .rejected])
    }

    @Test("what was called behind a rejected identify waits for the fresh session")
    func pendingBehindRejected() throws {
        let rig = try Rig()
        rig.startAsGuest()
        try rig.on { try $0.identify(GleapUser(id: "mary")) }
        try rig.on { try $0.identify(GleapUser(id: "john")) }
        rig.answer(200, #"{"error":"no"}"#)
        rig.answer(contact: 2)
        #expect(rig.http.exchanges.last?.body["userId"] == "john")
        rig.answer(contact: 3, user: "john")
        rig.advance(.seconds(2))
        #expect(rig.urls == [Rig.url(1), Rig.url(3)])
    }

    @Test("an error field that is empty or null is no error")
    func noError() throws {
        let rig = try Rig()
        rig.on { $0.start() }
        rig.answer(200, #"{"gleapId":"id1","gleapHash":"hash1","error":null,"errors":[]}"#)
        #expect(rig.state == .ready)
    }
}
