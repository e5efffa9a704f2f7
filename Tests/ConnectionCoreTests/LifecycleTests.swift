import ConnectionCore
import ConnectionModel
import Testing

@Suite struct LifecycleTests {
    @Test("background: launched into it, nothing opens until the foreground") func launched() throws {
        var scene = try Scene(app: .background)
        try scene.play("ask a; until 600")
        scene.expect()
        scene.expect(status: "held: background")
        #expect(scene.deadline == nil)
        try scene.play("foreground; until 601")
        scene.expect("600.25 open #1")
    }

    @Test("background: an ask opens nothing, the foreground connects") func askInBackground() throws {
        var scene = try Scene()
        try scene.play("background; ask a; ask b; until 30; foreground; until 31")
        scene.expect("30.25 open #1")
        #expect(scene.run.machine.liveChannel == Symbol.Place.b.channel)
    }

    @Test("background: past the grace it closes with 1001, holding background time until the close is done")
    func grace() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; until 5; background; until 14.9")
        scene.expect("1.5 open #1", "5 begin background time")
        try scene.play("until 15; wait 0.2; ended closed")
        scene.expect("15 close #1 1001 background", "15.2 end background time")
        scene.expect(status: "held: background")
        try scene.play("until 100; foreground; until 101")
        scene.expect("100.25 open #2")
    }

    @Test("background: a close that is never answered ends with its timeout") func graceUnanswered() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; until 5; background; until 60")
        scene.expect(
            "1.5 open #1", "5 begin background time", "15 close #1 1001 background", "17 abandon #1",
            "17 end background time")
    }

    @Test("background: back within the grace, the socket stays and is probed") func graceCancelled() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; until 5; background; until 12; foreground; wait 0.1; frame; until 41")
        scene.expect("1.5 open #1", "5 begin background time", "12 ping #1", "12 end background time")
        scene.expect(status: "open #1")
    }

    @Test("background: the grace holds for an attempt that is opening") func graceWhileOpening() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; background; until 11.5; ended closed")
        scene.expect(
            "1.5 open #1", "1.5 begin background time", "11.5 close #1 1001 background", "11.5 end background time")
    }

    @Test("background: when its time expires the close goes out at once") func expired() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; until 5; background; until 7; expired; expired; ended closed")
        scene.expect(
            "1.5 open #1", "5 begin background time", "7 close #1 1001 background", "7 end background time")
    }

    @Test("background: no time is asked for without a socket") func nothingToClose() throws {
        var scene = try Scene()
        try scene.play("background; foreground; ask a; background; expired; foreground; background")
        scene.expect()
    }

    @Test("background: a socket that is closing keeps the time until it is closed") func whileClosing() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; disconnect disconnected; background; wait 1; ended closed")
        scene.expect(
            "1.5 open #1", "1.5 close #1 1000 disconnected", "1.5 begin background time", "2.5 end background time")
    }

    @Test("background: a socket that fails there gives the time back and is not replaced") func failsThere() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; background; wait 1; ended 1006; until 100")
        scene.expect("1.5 open #1", "1.5 begin background time", "2.5 end background time")
        scene.expect(status: "held: background")
    }

    @Test("background: begin and end alternate over many returns") func alternates() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened")
        scene.expect("1.5 open #1")
        for _ in 0..<5 { try scene.play("background; background; wait 1; foreground; foreground; frame; wait 1") }
        let times = scene.log.filter { $0.hasSuffix("background time") }.map { $0.split(separator: " ")[1] }
        #expect(times == ["begin", "end", "begin", "end", "begin", "end", "begin", "end", "begin", "end"])
    }

    @Test("foreground: two notifications of one return open one socket, 0.25 s after the first") func twice() throws {
        var scene = try Scene(app: .background)
        try scene.play("ask a; until 50; foreground; wait 0.1; foreground; until 60")
        scene.expect("50.25 open #1")
    }

    @Test("foreground: another channel asked for in the background replaces the socket") func replaces() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; until 5; background; ask b; until 9; foreground; ended closed")
        // No probe for a socket that goes.
        scene.expect(
            "1.5 open #1", "5 begin background time", "9 close #1 1000 replaced", "9 end background time", "9 open #2")
    }

    @Test("foreground: an unanswered probe replaces the socket without a failure") func probeSilence() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; until 5; background; until 8; foreground; until 12")
        scene.expect(
            "1.5 open #1", "5 begin background time", "8 ping #1", "8 end background time",
            "12 close #1 1000 unresponsive")
        try scene.play("ended 1006")
        scene.expect(status: "waiting 0.3 s: replacing the socket")
        try scene.play("until 13; ended dns")
        scene.expect("12.25 open #2")
        scene.expect(status: "waiting 1.6 s: opening failed: host name not resolved, failure 1")
    }
}

@Suite struct NetworkTests {
    @Test("network: lost while waiting, it holds; back, it tries after 0.25 s") func lostAndBack() throws {
        var scene = try Scene(network: .online(fingerprint: 1))
        try scene.play("ask a; wait 1; path offline; until 60")
        scene.expect()
        scene.expect(status: "held: offline")
        #expect(scene.deadline == nil)
        try scene.play("path wifi; until 61")
        scene.expect("60.25 open #1")
    }

    @Test("network: its return ends a long backoff") func endsBackoff() throws {
        var scene = try Scene(network: .online(fingerprint: 1))
        try scene.play(
            "ask a; wake; ended dns; wake; ended dns; wake; ended dns; wake; ended dns; path offline; path wifi")
        scene.expect(status: "waiting 0.3 s: network came back")
    }

    @Test("network: storm-safe spreads the return over a second") func stormSafe() throws {
        var scene = try Scene(.stormSafe, network: .online(fingerprint: 1), draws: .longest)
        try scene.play("ask a; wake; ended dns; path offline; path wifi")
        scene.expect(status: "waiting 1.0 s: network came back")
    }

    @Test("network: an open socket outlives a loss and is probed at the return") func openSocket() throws {
        var scene = try Scene(network: .online(fingerprint: 1))
        try scene.play("ask a; wake; opened; until 5; path offline; until 8; path wifi; wait 0.1; frame; until 41")
        scene.expect("1.5 open #1", "8 ping #1")
        scene.expect(status: "open #1")
    }

    @Test(
        "network: lost and the socket with it, in either order, one attempt follows",
        arguments: [
            "path offline; ended 1006", "ended 1006; path offline",
        ])
    func bothAtOnce(order: String) throws {
        var scene = try Scene(network: .online(fingerprint: 1))
        try scene.play("ask a; wake; opened; \(order)")
        scene.expect(status: "held: offline")
        try scene.play("wait 60; path wifi; until 65")
        scene.expect("1.5 open #1", "61.75 open #2")
    }

    @Test("network: another path while online is probed once") func changed() throws {
        var scene = try Scene(network: .online(fingerprint: 1))
        try scene.play("ask a; wake; opened; until 5; path cellular; path wifi; path wifi; until 5.1; frame; until 9.2")
        scene.expect("1.5 open #1", "5 ping #1")
        scene.expect(status: "open #1")
    }

    @Test("network: the first look at it is no change") func firstLook() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; path wifi; until 41")
        scene.expect("1.5 open #1")
    }

    @Test("network: a loopback host needs none") func loopback() throws {
        var scene = try Scene(network: .offline)
        try scene.play("ask loopback; wake; ended 1006; path wifi; path offline")
        scene.expect(status: "waiting 1.6 s: connection lost (1006), failure 1")
        try scene.play("wake")
        scene.expect("1.5 open #1", "3.1 open #2")
    }

    @Test("network: flapping cannot beat the budget", arguments: Setting.allCases)
    func flapping(setting: Setting) throws {
        var scene = try Scene(setting, network: .online(fingerprint: 1), draws: .longest)
        try scene.play("ask a; wake; ended dns")
        while scene.now < 600 { try scene.play("path offline; path wifi; wake; ended dns; wait 0.1") }
        let attempts = scene.log.filter { $0.contains("open") }.count
        // A burst of 10, then one for each 10 s: used up, and not exceeded.
        #expect(attempts >= 60)
        #expect(Double(attempts) <= 10 + scene.now / 10)
    }
}
