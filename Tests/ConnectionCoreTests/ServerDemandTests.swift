import ConnectionCore
import ConnectionModel
import Testing

@Suite struct ServerDemandTests {
    @Test("refusal: the provider is asked once more, then the connection holds", arguments: ["401", "403"])
    func refused(status: String) throws {
        var scene = try Scene()
        try scene.play("ask a; wake; ended \(status)")
        scene.expect(status: "waiting 1.6 s: asking for fresh credentials after HTTP \(status)")
        try scene.play("wake; ended \(status); until 4000; path offline; path wifi; until 8000")
        scene.expect("1.5 open #1", "3.1 open #2 refused")
        scene.expect(status: "stopped: HTTP \(status)")
        #expect(scene.deadline == nil)
    }

    @Test(
        "refusal: an ask or the foreground frees",
        arguments: [
            ("ask a; until 4001.5", "4001.5 open #3 refused"), ("ask b; until 4001.5", "4001.5 open #3"),
            ("background; foreground; until 4001", "4000.25 open #3 refused"),
        ])
    func freed(by script: String, expected: String) throws {
        var scene = try Scene()
        try scene.play("ask a; wake; ended 401; wake; ended 401; until 4000; \(script)")
        scene.expect("1.5 open #1", "3.1 open #2 refused", expected)
    }

    @Test("refusal: didBecomeActive alone does not free") func nudge() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; ended 401; wake; ended 401; foreground; until 100")
        scene.expect(status: "stopped: HTTP 401")
    }

    @Test("refusal: 1008 after half a minute is no second one in a row") func lived() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; opened; ended 1008; wake; opened; wait 31; ended 1008")
        scene.expect(status: "waiting 3.2 s: asking for fresh credentials after 1008")
        try scene.play("wake; opened; ended 1008")
        scene.expect(status: "stopped: peer closed with 1008")
    }

    @Test("refusal: the one of the channel before does not count") func otherChannel() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; ask b; ended 403; wake; ended 403")
        scene.expect(status: "waiting 3.2 s: asking for fresh credentials after HTTP 403")
        try scene.play("wake; ended 403")
        scene.expect("1.5 open #1", "3 open #2", "6.2 open #3 refused")
        scene.expect(status: "stopped: HTTP 403")
    }

    @Test("refusal: another failure in between, without a session, does not forgive") func inBetween() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; ended 401; wake; ended dns; wake; ended 401")
        scene.expect(status: "stopped: HTTP 401")
    }

    @Test("demand: 1001 and 1012 spread over 5 to 30 s", arguments: ["1001", "1012"], EndGenerator.allCases)
    func spread(code: String, draws: EndGenerator) throws {
        var scene = try Scene(draws: draws)
        try scene.play("ask a; wake; opened; ended \(code)")
        scene.expect(status: "waiting \(draws == .shortest ? "5.0" : "30.0") s: server said \(code)")
    }

    @Test(
        "demand: Retry-After outlives the foreground, the network's return, asks and other demands",
        arguments: [
            "background; foreground", "path offline; path wifi", "ask b", "ask a", "ask elsewhere; wait 2; ask a",
            "disconnect disconnected; ask a", "ask elsewhere; wake; ended 503/60; ask a",
            "ask elsewhere; wake; ended 1013/30; ask b; background; foreground; path offline; path wifi",
        ])
    func outlives(script: String) throws {
        var scene = try Scene(network: .online(fingerprint: 1))
        try scene.play("ask a; wake; ended 503/60; wait 10; \(script); until 61.5")
        #expect(scene.log.filter { $0.contains("open #") && !$0.hasSuffix("open #1") }.count <= 1)
        scene.expect(status: "waiting \(scene.status.description.split(separator: " ")[1]) s: server said HTTP 503")
        let attempt = scene.run.machine.lastAttempt.number + 1
        try scene.play("until 61.6")
        scene.expect(status: "opening #\(attempt)")
    }

    @Test("demand: other origins are not concerned") func otherOrigin() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; ended 503/60; ask elsewhere; until 4")
        scene.expect("1.5 open #1", "3 open #2")
    }

    @Test("demand: an attempt at the origin ends it") func served() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; ended 1012; wake; opened; ask b; wake; ended closed")
        scene.expect("1.5 open #1", "6.5 open #2", "8 close #2 1000 replaced", "8 open #3")
    }

    @Test("demand: what a server answers to our close is none") func answerToClose() throws {
        var scene = try Scene()
        try scene.play("ask a; wake; ask b; wake; ended 503/60")
        scene.expect("1.5 open #1", "3 close #1 1000 replaced", "3 open #2")
    }

    @Test("budget: ten at once, then one each 10 s", arguments: Setting.allCases)
    func budget(setting: Setting) throws {
        var scene = try Scene(setting, network: .online(fingerprint: 1), draws: .longest)
        try scene.play("ask a; wake; ended dns")
        while scene.log.count < 10 { try scene.play("background; foreground; wake; ended dns") }
        let tenth = scene.now
        try scene.play("background; foreground; wait 0.3; tick")
        #expect(scene.log.count == 10)
        guard case .waiting(.budget, _, let until) = scene.status else {
            Issue.record("\(scene.status)")
            return
        }
        // The first attempt was at 1.5 s; its token is back 10 s later.
        #expect(until == Instant(nanoseconds: 11_500_000_000))
        #expect(tenth < 11)
    }

    @Test(
        "storm-safe: windows U(0, min(2b, 60)) on the machine",
        arguments: [
            (EndGenerator.shortest, ["0.0", "0.0", "0.0"]), (.longest, ["4.0", "8.0", "16.0"]),
        ])
    func windows(draws: EndGenerator, delays: [String]) throws {
        var scene = try Scene(.stormSafe, draws: draws)
        try scene.play("ask a; wake")
        for delay in delays {
            try scene.play("ended dns")
            if draws == .longest {
                #expect(scene.status.description.hasPrefix("waiting \(delay) s: "))
                try scene.play("wake")
            } else {
                #expect(scene.status.description.hasPrefix("opening"))
            }
        }
    }
}
