package import ConnectionCore

/// The small worlds that are explored to the end of a depth.
package struct SmallWorld: Sendable, CustomStringConvertible {
    package var name: String
    package var alphabet: [Step]
    package var prelude: [Step] = []
    package var app = AppState.foreground
    /// For the default test run, and for a long one.
    package var depth: Int
    package var fullDepth: Int

    package var description: String { name }

    /// The explorer of this world.
    package func explorer(_ setting: Setting, full: Bool = false) -> Explorer {
        var explorer = Explorer(setting, alphabet: alphabet, depth: full ? fullDepth : depth)
        explorer.app = app
        explorer.prelude = prelude
        return explorer
    }

    /// On time, late enough to tell a sleep, and time that passes unnoticed until something else happens.
    private static let times: [Step] = [.wake(late: 0), .wake(late: 3_000_000_000), .wait(2_500_000_000)]

    private static func events(_ names: String...) -> [Step] {
        names.map { name in .event(Symbol(name: name) ?? .timeReached) }
    }

    private static let openSocket = events("ask a") + [.wake(late: 0)] + events("opened")

    package static let all = [
        SmallWorld(
            name: "asking",
            alphabet: times
                + events("ask a", "ask b", "ask elsewhere", "disconnect disconnected", "opened", "ended 1000"),
            depth: 8, fullDepth: 11),
        SmallWorld(
            name: "changing one's mind",
            alphabet: [.wake(late: 0), .wait(1_400_000_000)] + events("ask a", "ask b", "opened"),
            depth: 11, fullDepth: 16),
        SmallWorld(
            name: "failing",
            alphabet: [.wake(late: 0), .wait(30_000_000_000)] + events("ended dns", "ended 1002", "opened", "message"),
            prelude: events("ask a"), depth: 15, fullDepth: 20),
        SmallWorld(
            name: "app lifecycle",
            alphabet: times
                + events(
                    "ask a", "ask b", "opened", "ended 1006", "background", "foreground", "expired",
                    "disconnect disconnected"),
            depth: 7, fullDepth: 10),
        SmallWorld(
            name: "launched into the background",
            alphabet: times + events("ask a", "ask b", "opened", "ended 1000", "background", "foreground", "expired"),
            app: .background, depth: 9, fullDepth: 11),
        SmallWorld(
            name: "network",
            alphabet: times
                + events("ask a", "opened", "ended 1006", "path offline", "path wifi", "path cellular", "path unknown"),
            depth: 9, fullDepth: 12),
        SmallWorld(
            name: "keepalive",
            alphabet: times
                + events(
                    "frame", "message", "paused", "resumed", "path wifi", "path cellular", "background", "foreground"),
            prelude: openSocket, depth: 7, fullDepth: 10),
        SmallWorld(
            name: "refusals",
            alphabet: [.wake(late: 0)]
                + events(
                    "ask a", "ask b", "opened", "ended 401", "ended 1008", "ended 1006", "background", "foreground"),
            depth: 9, fullDepth: 12),
        SmallWorld(
            name: "demands",
            alphabet: [.wake(late: 0), .wait(31_000_000_000)]
                + events(
                    "ask a", "ask b", "ask elsewhere", "opened", "message", "ended 503/60", "ended 1012", "ended 4001",
                    "path offline", "path wifi"),
            depth: 7, fullDepth: 10),
        SmallWorld(
            name: "budget",
            alphabet: [.wake(late: 0), .wait(9_000_000_000)]
                + events("opened", "ended 1006", "ended 503", "path offline", "path wifi", "background", "foreground"),
            prelude: events("path wifi") + openSocket
                + Array(
                    repeating: events("ended 1006", "path offline", "path wifi") + [.wake(late: 0)] + events("opened"),
                    count: 8
                ).flatMap { $0 },
            depth: 8, fullDepth: 11),
    ]
}
