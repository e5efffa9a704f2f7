import Dispatch
import Testing

@testable import WorldCheck

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The rules that are about a whole world, broken by a world that is tampered with; and that no rule is left out.
@Suite struct RuleTests {
    struct Tampering: CustomStringConvertible, Sendable {
        let rule: Rule
        let script: String
        /// How long after the script the hand goes in.
        let after: Int64
        let hand: @Sendable (World) -> Void
        var description: String { rule.rawValue }
    }

    static let tamperings: [Tampering] = [
        Tampering(rule: .stays, script: "0 ask a", after: 60) { $0.sockets.last?.breaks() },
        Tampering(rule: .carries, script: "0 ask a", after: 3) { $0.readerOn = false },
        Tampering(rule: .learnsBackground, script: "0 ask a", after: 207) { $0.closesSeen.append(1000) },
        // The network goes as the app returns, and nobody sees to it that it comes back.
        Tampering(rule: .foreground, script: "0 ask a", after: 220) { $0.route = .offline },
        Tampering(rule: .learnsEnd, script: "0 ask a", after: 226) { $0.closesSeen.append(1006) },
        Tampering(rule: .nothingLeft, script: "0 ask a", after: 228) { $0.timer = $0.now },
        Tampering(rule: .backgroundQuiet, script: "0 ask a", after: 219) { $0.timer = $0.now },
    ]

    @Test(arguments: tamperings)
    func aWholeWorldCanBreakARule(_ tampering: Tampering) throws {
        let queue = DispatchQueue(label: "world")
        let script = try Happening.script(tampering.script)
        try queue.sync {
            // A seed whose app starts in the foreground and disconnects at the end.
            let world = World(seed: 5, script: script, queue: queue)
            world.plan(after: tampering.after * Happening.second, .timers) { tampering.hand(world) }
            world.live()
            let violation = try #require(world.judge.violation)
            #expect(violation.rule == tampering.rule, "\(violation)")
            world.dismantle()
        }
    }

    @Test func everyRuleIsSeenToBeBroken() throws {
        let list = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "PlantedBugs/planted-bugs.txt")
        let planted = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("rule: ") }
            .map { try #require(Rule(rawValue: String($0.dropFirst(6))), "\($0)") }
        let broken = Set(planted + JudgeTests.cases.map(\.rule) + Self.tamperings.map(\.rule))
        #expect(Set(Rule.allCases).subtracting(broken) == [])
    }
}
