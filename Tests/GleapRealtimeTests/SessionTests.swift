import Foundation
import GleapRealtime
import SteadySocket
import SteadySocketTestKit
import Testing

/// Start, identify, update and clear, as one socket follows them.
@Suite struct SessionTests {
    @Test("a start sends what the protocol asks for, and its socket opens after the quiet window")
    func start() throws {
        let rig = try Rig()
        rig.on { $0.start() }
        let call = try #require(rig.http.exchanges.first)
        #expect(call.request.url.absoluteString == "https://api.test/v1/sessions")
        #expect(call.request.headers == ["Api-Token": "key", "Content-Type": "application/json"])
        #expect(call.body == ["lang": "en", "platform": "Linux", "deviceType": "desktop"])
        #expect(rig.state == .starting)
        rig.answer(contact: 1)
        #expect(rig.state == .ready)
        rig.advance(.milliseconds(1499))
        #expect(rig.sockets.isEmpty)
        rig.advance(.milliseconds(1))
        #expect(rig.urls == [Rig.url(1)])
        #expect(rig.realtime?.session?.gleapID == "id1")
        #expect(rig.realtime?.session?.userID == nil)
    }

    @Test("starting twice makes one call, before and after the answer")
    func startTwice() throws {
        let rig = try Rig()
        rig.on {
            $0.start(); $0.start()
        }
        rig.answer(contact: 1)
        rig.advance(.milliseconds(1500))
        rig.on { $0.start() }
        rig.advance(.seconds(5))
        #expect(rig.http.paths == ["/v1/sessions"])
        #expect(rig.sockets.count == 1)
    }

    @Test("an identify before the session is ready waits for it; one socket, with the identified credentials")
    func identifyEarly() throws {
        let rig = try Rig()
        try rig.on {
            try $0.identify(
                GleapUser(id: "mary", hash: "proof", name: "Mary", customData: ["plan": "pro", "seats": 3]))
        }
        #expect(rig.http.exchanges.isEmpty)
        rig.on { $0.start() }
        #expect(rig.http.paths == ["/v1/sessions"])
        rig.answer(contact: 1)
        let identify = try #require(rig.http.exchanges.last)
        #expect(identify.path == "/v1/sessions/identify")
        #expect(identify.request.headers["Gleap-Id"] == "id1")
        #expect(identify.request.headers["Gleap-Hash"] == "hash1")
        #expect(
            identify.body == [
                "userId": "mary", "userHash": "proof", "name": "Mary", "plan": "pro", "seats": 3, "lang": "en",
                "platform": "Linux", "deviceType": "desktop",
            ])
        // Slower than the quiet window, and still no socket for the guest.
        rig.advance(.seconds(10))
        #expect(rig.sockets.isEmpty)
        rig.answer(contact: 2, user: "mary")
        rig.advance(.milliseconds(1500))
        #expect(rig.urls == [Rig.url(2)])
        #expect(rig.realtime?.session?.userID == "mary")
    }

    @Test("an identify within the quiet window of the start: one socket, however slow the answer")
    func identifyInWindow() throws {
        let rig = try Rig()
        rig.on { $0.start() }
        rig.answer(contact: 1)
        rig.advance(.milliseconds(800))
        try rig.on { try $0.identify(GleapUser(id: "mary")) }
        rig.advance(.seconds(5))
        #expect(rig.sockets.isEmpty)
        rig.answer(contact: 2, user: "mary")
        rig.advance(.seconds(5))
        #expect(rig.urls == [Rig.url(2)])
    }

    @Test("an identify that fails at first does not keep the guest from a socket")
    func identifyFails() throws {
        let rig = try Rig()
        rig.on { $0.start() }
        rig.answer(contact: 1)
        try rig.on { try $0.identify(GleapUser(id: "mary")) }
        rig.answer(500, "")
        rig.advance(.milliseconds(1500))
        #expect(rig.urls == [Rig.url(1)])
        rig.advance(.seconds(2))
        #expect(rig.http.paths == ["/v1/sessions", "/v1/sessions/identify", "/v1/sessions/identify"])
        rig.answer(contact: 2, user: "mary")
        rig.advance(.milliseconds(1500))
        #expect(rig.urls == [Rig.url(1), Rig.url(2)])
        #expect(rig.sockets.first?.closed?.code == .normalClosure)
    }

    @Test("an identify that changes nothing makes no call and no socket")
    func identifyAgain() async throws {
        let rig = try Rig()
        rig.startAsGuest()
        let mary = GleapUser(id: "mary", hash: "proof", name: "Mary", customData: ["plan": "pro"])
        try rig.on { try $0.identify(mary) }
        rig.answer(contact: 2, user: "mary")
        rig.advance(.seconds(2))
        let calls = rig.http.exchanges.count
        try rig.on {
            try $0.identify(mary)
            // Less is known of her, and nothing else.
            try $0.identify(GleapUser(id: "mary"))
            try $0.updateContact(GleapContact(name: "Mary", customData: ["plan": "pro"]))
        }
        rig.advance(.seconds(10))
        #expect(rig.http.exchanges.count == calls)
        #expect(rig.sockets.count == 2)
        #expect(rig.state == .ready)
        let events = await rig.events()
        #expect(events.contains(.unchanged(.identify)))
        #expect(events.contains(.unchanged(.update)))
    }

    @Test("news of the same user is one call and no new socket; another user replaces the socket with 1000")
    func identityChange() throws {
        let rig = try Rig()
        rig.on { $0.start() }
        rig.answer(contact: 1)
        try rig.on { try $0.identify(GleapUser(id: "mary", name: "Mary")) }
        rig.answer(contact: 2, user: "mary")
        rig.advance(.milliseconds(1500))
        try rig.on { try $0.identify(GleapUser(id: "mary", name: "Mary S.")) }
        rig.answer(contact: 2, user: "mary")
        rig.advance(.seconds(10))
        #expect(rig.http.exchanges.count == 3)
        #expect(rig.urls == [Rig.url(2)])
        try rig.on { try $0.identify(GleapUser(id: "john")) }
        rig.answer(contact: 3, user: "john")
        rig.advance(.milliseconds(1500))
        #expect(rig.urls == [Rig.url(2), Rig.url(3)])
        #expect(rig.sockets[0].closed?.code == .normalClosure)
        // What was told of mary is nothing john is known by.
        try rig.on { try $0.identify(GleapUser(id: "john", name: "Mary S.")) }
        #expect(rig.http.exchanges.count == 5)
    }

    @Test("identifies that wait become one: the same user's are added up, another user takes the place")
    func coalescing() throws {
        let rig = try Rig()
        try rig.on {
            $0.start()
            try $0.identify(GleapUser(id: "john"))
            try $0.identify(GleapUser(id: "mary", name: "Mary"))
            try $0.identify(GleapUser(id: "mary", email: "mary@example.com"))
            try $0.updateContact(GleapContact(phone: "1"))
        }
        rig.answer(contact: 1)
        let body = try #require(rig.http.exchanges.last?.body)
        #expect(body["userId"] == "mary")
        #expect([body["name"], body["email"], body["phone"]] == ["Mary", "mary@example.com", "1"])
        rig.answer(contact: 2, user: "mary")
        #expect(rig.http.paths == ["/v1/sessions", "/v1/sessions/identify"])
    }

    @Test("a contact's update keeps the credentials and the socket")
    func update() throws {
        let rig = try Rig()
        rig.startAsGuest()
        try rig.on { try $0.updateContact(GleapContact(name: "Guest", customData: ["visits": 2])) }
        let call = try #require(rig.http.exchanges.last)
        #expect(call.path == "/v1/sessions/partialupdate")
        #expect(call.request.headers["Gleap-Id"] == "id1")
        #expect(call.body["data"]?["visits"] == 2)
        rig.answer(200, #"{"name":"Guest"}"#)
        rig.advance(.seconds(5))
        #expect(rig.urls == [Rig.url(1)])
        #expect(rig.realtime?.session?.gleapHash == "hash1")
        #expect(rig.realtime?.session?.fields["name"] == "Guest")
    }

    @Test("started in the background the calls are made, and the socket waits for the foreground")
    func background() throws {
        let rig = try Rig(app: .background)
        rig.on { $0.start() }
        rig.answer(contact: 1)
        try rig.on { try $0.identify(GleapUser(id: "mary")) }
        rig.answer(contact: 2, user: "mary")
        rig.advance(.seconds(60))
        #expect(rig.sockets.isEmpty)
        #expect(rig.realtime?.status.connection == .held(.background))
        rig.lifecycle.state = .foreground
        rig.advance(.seconds(2))
        #expect(rig.urls == [Rig.url(2)])
    }

    @Test("the low-level ask keeps its socket whatever the order of the query, and yields to the session's")
    func lowLevel() throws {
        let rig = try Rig()
        func ask(_ query: String) throws {
            let url = try #require(URL(string: "wss://ws.test?\(query)"))
            try rig.on { try $0.connect(to: url) }
            rig.advance(.seconds(2))
        }
        try ask("gleapId=a&gleapHash=b&apiKey=c&sdkVersion=1")
        try ask("sdkVersion=1&gleapHash=b&apiKey=c&gleapId=a")
        try ask("gleapHash=b&sdkVersion=1&gleapId=%61&apiKey=c")
        #expect(rig.sockets.count == 1)
        for changed in [
            "gleapId=x&gleapHash=b&apiKey=c", "gleapId=a&gleapHash=x&apiKey=c", "gleapId=a&gleapHash=b&apiKey=x",
        ] {
            try ask("\(changed)&sdkVersion=1")
        }
        #expect(rig.sockets.count == 4)
        #expect(rig.sockets.dropLast().allSatisfy { $0.closed?.code == .normalClosure })
        #expect(rig.http.exchanges.isEmpty)
        rig.startAsGuest()
        #expect(rig.urls.last == Rig.url(1))
        let web = try #require(URL(string: "https://ws.test"))
        #expect(throws: ConnectionError.self) { try rig.realtime?.connect(to: web) }
    }

    @Test("stop closes with 1000, shutDown with 1001, release with 1000; a start after a stop goes on as before")
    func ends() throws {
        let rig = try Rig()
        rig.startAsGuest()
        rig.on { $0.stop() }
        #expect(rig.state == .stopped)
        #expect(rig.sockets.last?.closed?.code == .normalClosure)
        rig.on { $0.start() }
        #expect(rig.http.exchanges.last?.request.headers["Gleap-Id"] == "id1")
        rig.answer(contact: 1)
        rig.advance(.seconds(2))
        rig.on { $0.shutDown() }
        #expect(rig.sockets.last?.closed?.code == .goingAway)
        rig.on { $0.start() }
        rig.answer(contact: 1)
        rig.advance(.seconds(2))
        rig.release()
        #expect(rig.sockets.map { $0.closed?.code } == [.normalClosure, .goingAway, .normalClosure])
        #expect(rig.time.armedCount == 0)
    }
}
