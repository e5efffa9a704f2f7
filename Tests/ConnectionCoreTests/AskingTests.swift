import ConnectionCore
import ConnectionModel
import Testing

@Suite struct AskingTests {
    @Test("ask: opens after the quiet window") func quietWindow() throws {
        var scene = try Scene()
        try scene.play("ask a; until 1.4")
        scene.expect(status: "waiting 1.5 s: quiet window after the ask")
        scene.expect()
        try scene.play("until 1.5")
        scene.expect("1.5 open #1")
    }

    @Test("ask: the same channel does not restart the quiet window") func sameChannel() throws {
        var scene = try Scene()
        try scene.play("ask a; wait 1; ask a; wait 0.4; ask a; until 3")
        scene.expect("1.5 open #1")
    }

    @Test("ask: start then identify opens one socket, for the last channel") func startThenIdentify() throws {
        var scene = try Scene()
        try scene.play("ask a; wait 1; ask b; until 10")
        scene.expect("2.5 open #1")
        #expect(scene.run.machine.liveChannel == Symbol.Place.b.channel)
    }

    @Test("ask: a burst without end opens at the ceiling") func ceiling() throws {
        var scene = try Scene()
        for _ in 0..<3 { try scene.play("ask a; wait 1; ask b; wait 1") }
        scene.expect()
        try scene.play("until 6")
        scene.expect("6 open #1")
    }

    @Test("ask: there and back again costs nothing") func thereAndBack() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; ask b; wait 1; ask a; until 41")
        scene.expect("1.5 open #1")
        scene.expect(status: "open #1")
        #expect(scene.deadline == 41.5)
    }

    @Test("ask: another channel closes with 1000, then opens at once") func replace() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; until 10; ask b; until 11.6")
        scene.expect("1.5 open #1", "11.5 close #1 1000 replaced")
        scene.expect(status: "closing #1: replaced")
        try scene.play("ended closed")
        scene.expect("11.6 open #2")
    }

    @Test("ask: another channel replaces an attempt that is opening") func replaceOpening() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; ask b; wake")
        scene.expect("1.5 open #1", "3 close #1 1000 replaced")
        // The answer was on its way: the transport sends the Close frame, the machine stays where it is.
        try scene.play("opened; message; ended closed")
        scene.expect("3 open #2")
    }

    @Test("ask: while closing it is remembered", arguments: ["a", "b"])
    func whileClosing(channel: String) throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; disconnect disconnected; ask \(channel); wait 0.5; ended closed")
        scene.expect("1.5 open #1", "1.5 close #1 1000 disconnected")
        try scene.play("until 60")
        scene.expect(
            "3 open #2", "18 close #2 1000 unresponsive", "20 abandon #2", "21.6 open #3",
            "36.6 close #3 1000 unresponsive", "38.6 abandon #3", "41.8 open #4", "56.8 close #4 1000 unresponsive",
            "58.8 abandon #4")
    }

    @Test("ask: changing one's mind while closing opens the last channel once") func changedWhileClosing() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; ask b; wake; ask a; wait 1; ended closed; wait 0.4; ask a; until 10")
        scene.expect("1.5 open #1", "3 close #1 1000 replaced", "4.5 open #2")
        #expect(scene.run.machine.liveChannel == Symbol.Place.a.channel)
    }

    @Test("disconnect: during the quiet window nothing ever opens") func disconnectWhileQuiet() throws {
        var scene = try Scene()
        try scene.play("ask a; wait 1; disconnect disconnected; until 100")
        scene.expect()
        scene.expect(status: "idle")
        #expect(scene.deadline == nil)
    }

    @Test("disconnect: while opening it closes and stays closed") func disconnectWhileOpening() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; wait 1; disconnect disconnected; opened; wait 0.1; ended closed; until 100")
        scene.expect("1.5 open #1", "2.5 close #1 1000 disconnected")
        scene.expect(status: "idle")
    }

    @Test("disconnect: while closing the first cause stands, and nothing opens") func disconnectWhileClosing() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; ask b; wake; disconnect released")
        scene.expect(status: "closing #1: replaced")
        try scene.play("ended closed; until 100")
        scene.expect("1.5 open #1", "3 close #1 1000 replaced")
        scene.expect(status: "idle")
    }

    @Test("disconnect: every cause has its code", arguments: LocalCloseCause.allCases)
    func causes(cause: LocalCloseCause) throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; disconnect \(cause)")
        scene.expect("1.5 open #1", "1.5 close #1 \(ConnectionPolicy.closeCode(for: cause)) \(cause)")
    }

    @Test("closing: unanswered for 2 s, the transport is torn down") func closingTimeout() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; disconnect disconnected; until 3.4")
        scene.expect(status: "closing #1: disconnected")
        try scene.play("until 3.5; ended closed")
        scene.expect("1.5 open #1", "1.5 close #1 1000 disconnected", "3.5 abandon #1")
        scene.expect(status: "idle")
    }

    @Test("opening: unanswered for 15 s, it is closed, counts as a failure and backs off") func openingTimeout() throws
    {
        var scene = try Scene()
        try scene.play("ask a; wake; until 16.6; ended 1006")
        scene.expect("1.5 open #1", "16.5 close #1 1000 unresponsive")
    }

    @Test("opening: the failure of a timeout is the timeout, whatever the transport says") func openingCause() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; until 16.6; ended 503/60")
        scene.expect(status: "waiting 1.6 s: opening handshake timed out, failure 1")
    }

    @Test("stale attempts change nothing") func stale() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; ask b; wake; ended closed; opened")
        scene.expect("1.5 open #1", "3 close #1 1000 replaced", "3 open #2")
        let before = scene.run.machine
        try scene.play(
            "opened older; message older; frame older; paused older; resumed older; ended 1012 older; ended 503/60 older"
        )
        scene.expect()
        #expect(scene.run.machine == before)
    }
}

/// A scene that does not notice would prove nothing.
@Suite struct SceneTests {
    @Test("scene: a missing, a superfluous and a wrong action are noticed") func notices() throws {
        var scene = try Scene()
        try scene.play("ask a; until 3")
        let whole = scene
        withKnownIssue("missing") { scene.expect("1.5 open #1", "2 ping #1") }
        scene = whole
        withKnownIssue("superfluous") { scene.expect() }
        scene = whole
        withKnownIssue("wrong time") { scene.expect("1.4 open #1") }
        withKnownIssue("status") { scene.expect(status: "idle") }
        withKnownIssue("script") { try scene.play("ask nobody") }
        withKnownIssue("time") { try scene.play("until 2") }
    }
}
