import ConnectionCore
import ConnectionModel
import Testing

@Suite struct KeepaliveTests {
    @Test("keepalive: a ping every 40 s of the open socket, whatever the traffic") func period() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; until 30; message; until 42; frame; until 81.6; frame; until 130; message")
        scene.expect("1.5 open #1", "41.5 ping #1", "81.5 ping #1", "121.5 ping #1")
    }

    @Test("keepalive: no answer for 10 s ends the socket with 1000 and counts as a failure") func pongDeadline() throws
    {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; until 51.4")
        scene.expect("1.5 open #1", "41.5 ping #1")
        try scene.play("until 51.5; ended 1006")
        scene.expect("51.5 close #1 1000 unresponsive")
        // Open for 50 s: the backoff started over.
        scene.expect(status: "waiting 1.6 s: ping unanswered, failure 1")
    }

    @Test("keepalive: any frame answers", arguments: ["frame", "message"])
    func anyFrame(frame: String) throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; until 51.4; \(frame); until 81.4")
        scene.expect("1.5 open #1", "41.5 ping #1")
        scene.expect(status: "open #1")
    }

    @Test("keepalive: lives and dies with the socket") func withTheSocket() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; until 41; ended 1006; until 50; opened; until 82")
        scene.expect("1.5 open #1", "42.6 open #2")
        #expect(scene.deadline == 90)
    }

    @Test("keepalive: a silent socket is given up even if nothing late counts as normal")
    func noThreshold() {
        var configuration = Configuration()
        configuration.suspensionThreshold = .zero
        var machine = ConnectionMachine(configuration: configuration)
        var draws = EndGenerator.shortest
        _ = machine.handle(.ask(Symbol.Place.a.channel), at: .zero, using: &draws)
        var closed = false
        // Every timer is late by a little.
        for _ in 0..<100 where !closed {
            guard let deadline = machine.nextDeadline else { break }
            let now = deadline + .milliseconds(20)
            let actions = machine.handle(.timeReached, at: now, using: &draws)
            if let open = actions.open { _ = machine.handle(.opened(open.attempt), at: now, using: &draws) }
            closed = actions.close != nil
        }
        #expect(closed)
    }

    @Test("keepalive: a timeout longer than the period still counts from the first unanswered ping")
    func longTimeout() {
        var configuration = Configuration()
        configuration.keepalive = Keepalive(time: .seconds(10), timeout: .seconds(25))
        var machine = ConnectionMachine(configuration: configuration)
        var draws = EndGenerator.shortest
        _ = machine.handle(.ask(Symbol.Place.a.channel), at: .zero, using: &draws)
        var pings: [Int64] = []
        var closed: Int64?
        for second in 1...60 as ClosedRange<Int64> {
            let now = Instant(nanoseconds: second * 1_000_000_000)
            let actions = machine.handle(.timeReached, at: now, using: &draws)
            if let open = actions.open { _ = machine.handle(.opened(open.attempt), at: now, using: &draws) }
            if actions.ping != nil { pings.append(second) }
            if let close = actions.close {
                #expect(close.cause == .unresponsive)
                closed = second
                break
            }
        }
        #expect(pings == [12, 22, 32])
        #expect(closed == 37)
    }

    @Test(
        "suspension: a pong that is more than 2 s overdue is void; one fresh probe decides",
        arguments: [
            ("frame; until 81", ["open #1"]), ("until 59", ["closing #1: unresponsive"]),
        ])
    func missedPong(then: String, status: [String]) throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; wake; wake late 3")
        scene.expect("1.5 open #1", "41.5 ping #1", "54.5 ping #1")
        #expect(scene.deadline == 58.5)
        try scene.play(then)
        #expect(status == [scene.status.description])
    }

    @Test("suspension: exactly 2 s late is only late") func justLate() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; wake; wake late 2")
        scene.expect("1.5 open #1", "41.5 ping #1", "53.5 close #1 1000 unresponsive")
    }

    @Test("suspension: a ping that was missed becomes a probe") func missedPing() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; wake late 3600")
        scene.expect("1.5 open #1", "3641.5 ping #1")
        #expect(scene.deadline == 3645.5)
    }

    @Test(
        "suspension: noticed by any deadline, it voids every wait for an answer",
        arguments: [
            // The probe of t = 40 is due at 44, the ping at 41.5: asleep until 44.2, or until just before.
            ("wait 4.2; tick", 48.2), ("wait 3.9; tick", 47.9),
        ])
    func noticedByThePing(sleep: String, deadline: Double) throws {
        var scene = try Scene(network: .online(fingerprint: 1))
        try scene.play("ask a; wake; opened; until 40; path cellular; \(sleep)")
        scene.expect("1.5 open #1", "40 ping #1", "\(deadline - 4) ping #1")
        #expect(scene.deadline == deadline)
    }

    @Test("suspension: the grace still ends the socket, honestly") func missedGrace() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; background; wait 3600; foreground; ended closed; wake")
        scene.expect(
            "1.5 open #1", "1.5 begin background time", "3601.5 close #1 1001 background",
            "3601.5 end background time", "3601.75 open #2")
    }

    @Test("reading paused: silence is no death, and nothing is probed") func paused() throws {
        var scene = try Scene(network: .online(fingerprint: 1))
        try scene.play("ask a; wake; opened; until 45; paused; until 100; path cellular; until 170")
        scene.expect("1.5 open #1", "41.5 ping #1", "81.5 ping #1", "121.5 ping #1", "161.5 ping #1")
        scene.expect(status: "open #1")
        try scene.play("resumed; until 212")
        scene.expect("201.5 ping #1", "211.5 close #1 1000 unresponsive")
    }

    @Test("keepalive: nil sends no ping, and an open socket needs no wake-up") func none() {
        var configuration = Configuration()
        configuration.keepalive.time = nil
        var machine = ConnectionMachine(configuration: configuration)
        var draws = EndGenerator.shortest
        _ = machine.handle(.ask(Symbol.Place.a.channel), at: .zero, using: &draws)
        _ = machine.handle(.timeReached, at: Instant(nanoseconds: 2_000_000_000), using: &draws)
        _ = machine.handle(.opened(AttemptID(1)), at: Instant(nanoseconds: 3_000_000_000), using: &draws)
        #expect(machine.status == .open(AttemptID(1)))
        #expect(machine.nextDeadline == nil)
    }
}
