import FoundationEssentials
import SteadySocket
import SteadySocketTestKit
import Testing

@Suite struct ConnectTests {
    @Test("start then identify opens one socket carrying the last credentials")
    func startThenIdentify() throws {
        let rig = Rig()
        try rig.ask("wss://example.com/chat?user=anonymous")
        rig.advance(.milliseconds(1400))
        try rig.ask("wss://example.com/chat?user=mary&hash=1")
        rig.advance(.milliseconds(1499))
        #expect(rig.sockets.isEmpty)
        rig.advance(.milliseconds(1))
        #expect(rig.sockets.count == 1)
        #expect(rig.sockets.first?.request.url.absoluteString.split(separator: "?").last == "user=mary&hash=1")
        #expect(rig.status == .open(AttemptID(1)))
    }

    @Test("the same channel keeps its socket, whatever the order of the query")
    func sameChannelKeepsItsSocket() throws {
        let rig = Rig()
        try rig.open("wss://example.com/chat?user=mary&hash=1")
        for same in [
            "wss://example.com/chat?hash=1&user=mary", "WSS://EXAMPLE.com:443/chat?user=mary&hash=1",
            "wss://example.com/chat?user=m%61ry&hash=1",
        ] {
            try rig.open(same)
        }
        #expect(rig.sockets.count == 1)
        #expect(rig.closeCodes == [nil])
    }

    @Test("an ask for the same channel with newer headers serves the next attempt")
    func newerCredentials() throws {
        let rig = Rig()
        func channel(_ token: String) throws -> Channel {
            Channel(try ConnectionRequest("wss://example.com/", headers: [HeaderField("Authorization", token)]))
        }
        let (old, new) = (try channel("old"), try channel("new"))
        rig.on { $0.connect(to: old) }
        rig.advance(.seconds(2))
        rig.on { $0.connect(to: new) }
        rig.advance(.seconds(2))
        #expect(rig.sockets.count == 1)
        rig.run { rig.sockets[0].report(.closed(TransportClose(.connectionLost))) }
        rig.advance(.seconds(3))
        #expect(rig.sockets.map { $0.request.headers.first?.value } == ["old", "new"])
    }

    @Test("another channel replaces the socket with 1000, one after the other")
    func replacing() throws {
        let rig = Rig()
        try rig.open("wss://example.com/a")
        try rig.open("wss://example.com/b")
        #expect(rig.closeCodes == [.normalClosure, nil])
        #expect(rig.sockets[0].closed?.reason == "replaced")
        #expect(rig.transport.liveCount == 1)
    }

    @Test("background: an ask opens nothing, the foreground connects once")
    func askInBackground() throws {
        let rig = Rig(app: .background)
        try rig.ask("wss://example.com/a")
        rig.advance(.seconds(3600))
        #expect(rig.sockets.isEmpty)
        #expect(rig.status == .held(.background))
        rig.run {
            rig.lifecycle.state = .foreground
            rig.lifecycle.state = .foreground
        }
        rig.advance(.milliseconds(250))
        #expect(rig.sockets.count == 1)
        #expect(rig.path.restarts == 2)
    }

    @Test("background: 9 s keeps the socket and probes it, 11 s closes it with 1001 inside background time")
    func grace() throws {
        let rig = Rig()
        try rig.open()
        rig.run { rig.lifecycle.state = .background }
        #expect(rig.lifecycle.holdsBackgroundTime)
        rig.advance(.seconds(9))
        rig.run { rig.lifecycle.state = .foreground }
        #expect(!rig.lifecycle.holdsBackgroundTime)
        #expect(rig.sockets[0].pings == 1)
        #expect(rig.closeCodes == [nil])

        rig.run { rig.lifecycle.state = .background }
        rig.advance(.seconds(11))
        #expect(rig.closeCodes == [.goingAway])
        #expect(rig.sockets[0].closed?.reason == "background")
        #expect(!rig.lifecycle.holdsBackgroundTime)
        #expect(rig.status == .held(.background))
    }

    @Test("background time that expires early: 1001 and the time given back before the handler returns")
    func expiration() throws {
        let rig = Rig()
        try rig.open()
        rig.run { rig.lifecycle.state = .background }
        rig.advance(.seconds(5))
        rig.run {
            rig.lifecycle.expireBackgroundTime()
            #expect(rig.sockets[0].closed?.code == .goingAway)
            #expect(!rig.lifecycle.holdsBackgroundTime)
        }
    }

    @Test("offline: no attempt; the network's return connects and the backoff starts over")
    func offline() throws {
        let rig = Rig(path: .offline)
        try rig.open()
        #expect(rig.sockets.isEmpty)
        #expect(rig.status == .held(.offline))
        rig.run { rig.path.path = .online(fingerprint: 2) }
        rig.advance(.milliseconds(250))
        #expect(rig.sockets.count == 1)
    }

    @Test("a host on loopback needs no network")
    func loopback() throws {
        let rig = Rig(path: .offline)
        try rig.open("ws://127.0.0.1:8080/")
        #expect(rig.sockets.count == 1)
    }

    @Test("disconnect closes with 1000, or with the code given; shutDown with 1001; release with 1000")
    func closing() throws {
        let rig = Rig()
        try rig.open()
        rig.on { $0.disconnect() }
        #expect(rig.status == .idle)
        try rig.open()
        try rig.on { try $0.disconnect(code: CloseCode(rawValue: 4001), reason: "logged out") }
        try rig.open()
        rig.on { $0.shutDown() }
        try rig.open()
        rig.release()
        #expect(rig.closeCodes == [.normalClosure, CloseCode(rawValue: 4001), .goingAway, .normalClosure])
        #expect(rig.sockets.map { $0.closed?.reason } == ["disconnected", "logged out", "exiting", "released"])
    }

    @Test("a close code or reason that may not be sent is refused and changes nothing")
    func badClose() throws {
        let rig = Rig()
        try rig.open()
        rig.on { socket in
            for code: UInt16 in [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000] {
                #expect(throws: ConnectionError.self) { try socket.disconnect(code: CloseCode(rawValue: code)) }
            }
            #expect(throws: ConnectionError.self) {
                try socket.disconnect(code: .normalClosure, reason: String(repeating: "ä", count: 62))
            }
        }
        #expect(rig.closeCodes == [nil])
    }

    @Test("a peer that does not answer the Close frame is abandoned; the outcome says so")
    func unanswered() async throws {
        let rig = Rig(ScriptedTransport { call, socket in if case .open = call { socket.report(.opened(.init())) } })
        try rig.open()
        let events = rig.socket?.events
        rig.on { $0.disconnect() }
        rig.advance(.milliseconds(1999))
        #expect(rig.transport.liveCount == 1)
        rig.advance(.milliseconds(1))
        #expect(rig.transport.liveCount == 0)
        // The late end of an abandoned attempt changes nothing.
        rig.run { rig.sockets[0].report(.closed(TransportClose(.connectionLost))) }
        rig.release()
        var outcomes: [CloseOutcome?] = []
        for await event in try #require(events) {
            if case .closed(_, let close) = event { outcomes.append(close.outcome) }
        }
        #expect(outcomes == [.unknown(after: .seconds(2))])
    }
}
