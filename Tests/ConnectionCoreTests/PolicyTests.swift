import ConnectionCore
import ConnectionModel
import Testing

@Suite struct ConnectDecisionTests {
    private static let a = Symbol.Place.a.channel
    private static let b = Symbol.Place.b.channel
    private static let loopback = Symbol.Place.loopback.channel

    private static func fits(_ cell: String, _ values: String...) -> Bool { cell == "any" || values.contains(cell) }

    @Test("connect decision table: the design page, every combination") func table() throws {
        let rows = try DesignDocument().table("decision")
        let networks: [NetworkPath] = [.unknown, .offline, .online(fingerprint: 1)]
        var used: Set<Int> = []
        for asked in [nil, Self.a, Self.loopback] {
            for live in [nil, Self.a, Self.b, Self.loopback] {
                for app in AppState.allCases {
                    for network in networks {
                        let index = try #require(
                            rows.firstIndex { row in
                                Self.fits(
                                    row["asked"] ?? "", asked == nil ? "none" : asked == Self.loopback ? "loopback" : ""
                                )
                                    && Self.fits(
                                        row["socket"] ?? "", live == nil ? "none" : live == asked ? "same" : "other")
                                    && Self.fits(row["app"] ?? "", "\(app)")
                                    && Self.fits(
                                        row["network"] ?? "", network == .offline ? "offline" : "online or unknown")
                            })
                        used.insert(index)
                        let decision = ConnectionPolicy.connectDecision(
                            asked: asked, live: live, app: app, network: network)
                        #expect(Self.text(decision) == rows[index]["decision"])
                    }
                }
            }
        }
        #expect(used.count == rows.count, "a row that no combination reaches")
    }

    private static func text(_ decision: ConnectionPolicy.ConnectDecision) -> String {
        switch decision {
        case .nothing: "nothing"
        case .keep: "keep"
        case .wait(let reason): "wait: \(reason)"
        case .connect: "connect"
        }
    }

    struct Case: Sendable {
        var name: String
        var asked: ChannelID?
        var live: ChannelID?
        var app = AppState.foreground
        var network = NetworkPath.online(fingerprint: 1)
        var decision: ConnectionPolicy.ConnectDecision
    }

    private static func query(_ query: String) -> ChannelID {
        ChannelID(scheme: "wss", host: "h.example", port: nil, percentEncodedPath: "/s", percentEncodedQuery: query)
    }

    static let cases: [Case] = [
        Case(name: "unchanged identity", asked: a, live: a, decision: .keep),
        Case(name: "unchanged, query reordered", asked: query("x=1&y=2"), live: query("y=2&x=1"), decision: .keep),
        Case(name: "unchanged, in the background", asked: a, live: a, app: .background, decision: .keep),
        Case(name: "unchanged, offline", asked: a, live: a, network: .offline, decision: .keep),
        Case(name: "changed", asked: b, live: a, decision: .connect),
        Case(name: "changed, one query item twice", asked: query("x=1&x=1"), live: query("x=1"), decision: .connect),
        Case(name: "dead", asked: a, live: nil, decision: .connect),
        Case(name: "dead, network unknown", asked: a, live: nil, network: .unknown, decision: .connect),
        Case(name: "background", asked: a, live: nil, app: .background, decision: .wait(.background)),
        Case(name: "changed in the background", asked: b, live: a, app: .background, decision: .wait(.background)),
        Case(name: "offline", asked: a, live: nil, network: .offline, decision: .wait(.offline)),
        Case(
            name: "background and offline", asked: a, live: nil, app: .background, network: .offline,
            decision: .wait(.background)),
        Case(name: "loopback, offline", asked: loopback, live: nil, network: .offline, decision: .connect),
        Case(name: "no session", asked: nil, live: nil, decision: .nothing),
        Case(name: "no session, live socket", asked: nil, live: a, decision: .nothing),
        Case(name: "no session, background", asked: nil, live: nil, app: .background, decision: .nothing),
    ]

    @Test("connect decision table: the rows of the promise", arguments: cases)
    func decision(row: Case) {
        let decision = ConnectionPolicy.connectDecision(
            asked: row.asked, live: row.live, app: row.app, network: row.network)
        #expect(decision == row.decision, "\(row.name)")
    }
}

@Suite struct CloseCodeTests {
    @Test("close codes: the table of the design page") func table() throws {
        let rows = try DesignDocument().table("close codes")
        #expect(rows.count == LocalCloseCause.allCases.count)
        for cause in LocalCloseCause.allCases {
            let row = try #require(rows.first { $0["cause"] == cause.description })
            #expect(ConnectionPolicy.closeCode(for: cause).description == row["code"])
            #expect(ConnectionPolicy.closeCode(for: cause).mayBeSent)
        }
    }

    @Test("close codes: what may be sent (RFC 6455 section 7.4)") func mayBeSent() {
        let legal = (0...5000).filter { CloseCode(rawValue: UInt16($0)).mayBeSent }
        #expect(legal == [1000, 1001, 1002, 1003] + Array(1007...1014) + Array(3000...4999))
    }

    @Test("close codes: every number survives", arguments: [0, 999, 1004, 1012, 1013, 1016, 2999, 3000, 4999, 65535])
    func survives(code: UInt16) {
        #expect(CloseCode(rawValue: code).rawValue == code)
        #expect(CloseCode(rawValue: code).description == "\(code)")
    }
}

@Suite struct DefaultsTests {
    private static let shown: [String: @Sendable (Configuration) -> String] = [
        "askQuietWindow": { $0.askQuietWindow.inTables },
        "askCeiling": { $0.askCeiling.inTables },
        "foregroundDebounce": { $0.foregroundDebounce.inTables },
        "networkReturnDelay": { $0.networkReturnDelay.inTables },
        "timeouts.openingHandshake": { $0.timeouts.openingHandshake.inTables },
        "timeouts.closingHandshake": { $0.timeouts.closingHandshake.inTables },
        "backoff.initial": { $0.backoff.initial.inTables },
        "backoff.multiplier": { $0.backoff.multiplier == 2 ? "2" : "\($0.backoff.multiplier)" },
        "backoff.maximum": { $0.backoff.maximum.inTables },
        "backoff.jitter": {
            switch $0.backoff.jitter {
            case .proportional(let fraction): "±\(Int(fraction * 100)) %"
            case .window: "0 to twice the base, at most the maximum"
            }
        },
        "startOver.afterMessage": { $0.startOver.afterMessage ? "yes" : "no" },
        "startOver.afterOpenFor": { $0.startOver.afterOpenFor?.inTables ?? "never" },
        "startOver.afterNetworkReturn": { $0.startOver.afterNetworkReturn ? "yes" : "no" },
        "keepalive.time": { $0.keepalive.time?.inTables ?? "never" },
        "keepalive.timeout": { $0.keepalive.timeout.inTables },
        "keepalive.probeTimeout": { $0.keepalive.probeTimeout.inTables },
        "backgroundGrace": { $0.backgroundGrace?.inTables ?? "never" },
        "budget.burst": { "\($0.budget.burst)" },
        "budget.interval": { $0.budget.interval.inTables },
        "suspensionThreshold": { $0.suspensionThreshold.inTables },
        "maximumMessageBytes": { "\($0.maximumMessageBytes >> 20) MiB" },
    ]

    @Test("defaults: the table of the design page") func table() throws {
        let rows = try DesignDocument().table("defaults")
        #expect(Set(rows.compactMap { $0["setting"] }) == Set(Self.shown.keys))
        for row in rows {
            let setting = try row.cell("setting")
            let shown = try #require(Self.shown[setting])
            #expect(shown(.standard) == row["standard"], "\(setting)")
            #expect(shown(.stormSafe) == row["storm-safe"], "\(setting)")
        }
    }

    @Test("defaults: every setting is in the table") func complete() {
        var names: Set<String> = []
        for (label, value) in Mirror(reflecting: Configuration()).children {
            guard let label, label != "retryRules" else { continue }
            let parts = Mirror(reflecting: value)
            if parts.displayStyle == .struct,
                ["timeouts", "backoff", "startOver", "keepalive", "budget"].contains(label)
            {
                names.formUnion(parts.children.compactMap { $0.label.map { "\(label).\($0)" } })
            } else {
                names.insert(label)
            }
        }
        #expect(names == Set(Self.shown.keys))
    }
}
