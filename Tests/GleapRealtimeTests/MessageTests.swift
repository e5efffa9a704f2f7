import Foundation
import SteadySocket
import SteadySocketTestKit
import Testing

@testable import GleapRealtime

/// Updates, and what is ignored and counted; the encoding of the socket's URL; bad input.
@Suite struct MessageTests {
    @Test(
        arguments: [
            (#"{"name":"update","data":{"a":[1,null,true,"x"]}}"#, GleapMessage.update(["a": [1, nil, true, "x"]])),
            (#"{"name":"update","data":null}"#, .update(.null)), (#"{"data":1,"name":"update","more":2}"#, .update(1)),
            (#"{"name":"other","data":{}}"#, .unknownName), (#"{"name":""}"#, .unknownName),
            (#"{"name":"update"}"#, .malformed), (#"{"name":1,"data":{}}"#, .malformed), ("{}", .malformed),
            ("", .malformed), ("{", .malformed), ("[]", .malformed), ("update", .malformed), ("\u{0}", .malformed),
        ])
    func everyMessage(text: String, message: GleapMessage) {
        #expect(GleapMessage(.text(text)) == message)
    }

    @Test("updates are handed on in order to every observer; the rest is counted")
    func updates() async throws {
        let rig = try Rig()
        rig.startAsGuest()
        let socket = try #require(rig.sockets.last)
        let realtime = try #require(rig.realtime)
        var (first, second) = (realtime.updates.makeAsyncIterator(), realtime.updates.makeAsyncIterator())
        rig.queue.sync {
            for text in [#"{"name":"update","data":{"n":1}}"#, "nonsense", #"{"name":"news"}"#] {
                socket.report(.message(.text(text)))
            }
            socket.report(.message(.binary(Data([1]))))
            socket.report(.message(.text(#"{"name":"update","data":{"n":2}}"#)))
        }
        #expect(await first.next() == ["n": 1])
        #expect(await first.next() == ["n": 2])
        #expect(await second.next() == ["n": 1])
        #expect(await second.next() == ["n": 2])
        #expect(realtime.ignored == IgnoredMessages(malformed: 2, unknownName: 1, dropped: 0))
    }

    @Test("an observer that falls 256 behind loses its oldest, which is counted")
    func slowObserver() throws {
        let publisher = SessionPublisher()
        let updates = publisher.updates
        for number in 0..<300 { publisher.received(.text(#"{"name":"update","data":\#(number)}"#)) }
        #expect(publisher.ignored.dropped == 44)
        withExtendedLifetime(updates) {}
    }

    @Test("every value of the query is encoded, and what the URL has already stays")
    func encoding() throws {
        var configuration = GleapConfiguration(apiKey: "k&=%+#?/ü")
        configuration.sdkVersion = "1.0 b"
        configuration.socketURL = try #require(URL(string: "wss://ws.test/path?region=eu"))
        let url = try configuration.socketURL(for: GleapSession(gleapID: "a+b", gleapHash: "c/d=&e~-._"))
        #expect(
            url.absoluteString == "wss://ws.test/path?region=eu&gleapId=a%2Bb&gleapHash=c%2Fd%3D%26e~-._"
                + "&apiKey=k%26%3D%25%2B%23%3F%2F%C3%BC&sdkVersion=1.0%20b")
    }

    @Test("a configuration that cannot work is refused with words that say why")
    func configurations() throws {
        func problem(_ change: (inout GleapConfiguration) -> Void) -> String? {
            var configuration = GleapConfiguration(apiKey: "key")
            change(&configuration)
            do {
                _ = try GleapRealtime(configuration, options: GleapOptions())
                return nil
            } catch {
                #expect(error.code == .invalidConfiguration)
                return error.description
            }
        }
        for key in ["", "a b", "a\r\nX: y", "kéy"] { #expect(problem { $0.apiKey = key }?.contains("API key") == true) }
        for base in ["ftp://a", "a", "https://", "https://u:p@a", "https://a?b", "https://a#b", "wss://a"] {
            let url = try #require(URL(string: base))
            #expect(problem { $0.apiURL = url }?.contains("API base") == true, "\(base)")
        }
        for base in ["https://a", "ws://u:p@a", "wss://a#b"] {
            let url = try #require(URL(string: base))
            #expect(problem { $0.socketURL = url }?.contains("socket") == true, "\(base)")
        }
    }

    @Test("a user that cannot be sent is refused at the call")
    func users() throws {
        let rig = try Rig()
        for user in [
            GleapUser(id: ""), GleapUser(id: "a", customData: ["gleapHash": "x"]),
            GleapUser(id: "a", customData: ["userId": "x"]), GleapUser(id: "a", customData: ["n": .number(.infinity)]),
            GleapUser(id: "a", customData: ["n": [["m": .number(.nan)]]]),
        ] {
            let error = #expect(throws: GleapError.self) { try rig.realtime?.identify(user) }
            #expect(error?.code == .invalidUser)
        }
        #expect(throws: GleapError.self) { try rig.realtime?.updateContact(GleapContact(customData: ["error": true])) }
        rig.startAsGuest()
        #expect(rig.http.exchanges.count == 1)
    }

    @Test("numbers of the options that make no sense are clamped")
    func clamped() throws {
        let rig = try Rig {
            $0.requestTimeout = .seconds(-1)
            $0.maximumAttempts = -1
        }
        rig.on { $0.start() }
        #expect(rig.http.exchanges.first?.request.timeout == .milliseconds(1))
        rig.answer(500, "")
        rig.advance(.seconds(3600))
        #expect(rig.http.exchanges.count == 1)
    }
}
