import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `scripts/planted-bugs` plants them and sees the explorer find them; that takes minutes. Here: the list still fits.
@Suite struct PlantedBugsTests {
    struct Bug: Sendable, CustomStringConvertible {
        var name: String
        var file = ""
        var why = ""
        var old: [String] = []
        var new: [String] = []
        var description: String { name }
    }

    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let core = tests.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/ConnectionCore")

    private static func read(_ url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }

    static func bugs() throws -> [Bug] {
        var bugs: [Bug] = []
        var section = ""
        let list = try read(tests.appendingPathComponent("PlantedBugs/planted-bugs.txt"))
        for line in list.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("== ") {
                bugs.append(Bug(name: String(line.dropFirst(3))))
                section = ""
            } else if line == "-- old" || line == "-- new" {
                section = line
            } else if let last = bugs.indices.last {
                switch section {
                case "-- old": bugs[last].old.append(line)
                case "-- new": bugs[last].new.append(line)
                default:
                    if line.hasPrefix("file: ") { bugs[last].file = String(line.dropFirst(6)) }
                    if line.hasPrefix("why: ") { bugs[last].why = String(line.dropFirst(5)) }
                }
            }
        }
        return bugs
    }

    @Test("planted bugs: ten at least, each told apart") func enough() throws {
        let bugs = try Self.bugs()
        #expect(bugs.count >= 10)
        #expect(Set(bugs.map(\.name)).count == bugs.count)
    }

    @Test("planted bugs: the old text is in the source exactly once") func fits() throws {
        for bug in try Self.bugs() {
            #expect(!bug.why.isEmpty, "\(bug)")
            let source = try Self.read(Self.core.appendingPathComponent(bug.file))
            var old = bug.old
            while old.last?.isEmpty == true { old.removeLast() }
            #expect(!old.isEmpty && old != bug.new, "\(bug)")
            #expect(source.ranges(of: old.joined(separator: "\n")).count == 1, "\(bug)")
        }
    }
}
