import ConnectionCore
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tables of `docs/design.md` that the tests compare with the code.
struct DesignDocument {
    let text: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        text = String(decoding: try Data(contentsOf: root.appendingPathComponent("docs/design.md")), as: UTF8.self)
    }

    init(text: String) { self.text = text }

    struct MissingTable: Error, CustomStringConvertible {
        var name: String
        var description: String { "docs/design.md has no table '\(name)'" }
    }

    /// The rows of the table behind the marker, by the names of its columns.
    func table(_ name: String) throws -> [[String: String]] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard let marker = lines.firstIndex(of: "<!-- table: \(name) -->") else { throw MissingTable(name: name) }
        lines = lines[(marker + 1)...].prefix { $0.hasPrefix("|") }
        let rows = lines.map(Self.cells)
        guard rows.count > 2 else { throw MissingTable(name: name) }
        return try rows.dropFirst(2).map { row in
            try #require(row.count == rows[0].count, "table '\(name)': \(row)")
            return Dictionary(uniqueKeysWithValues: zip(rows[0], row))
        }
    }

    private static func cells(_ line: Substring) -> [String] {
        line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map(trimmed)
    }

    static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    /// The parts of a cell between commas.
    static func list(_ cell: String) -> [String] { cell.split(separator: ",").map(trimmed) }

    /// The arrows of the state diagram.
    func arrows() -> Set<String> {
        var arrows: Set<String> = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[1] == "-->", words[0] != "[*]" { arrows.insert("\(words[0]) → \(words[2])") }
        }
        return arrows
    }
}

extension [String: String] {
    /// The cell of a row in the column of this name.
    func cell(_ column: String) throws -> String { try #require(self[column], "no column '\(column)'") }
}

extension Duration {
    /// As the tables write it: `0.25 s`.
    var inTables: String {
        let milliseconds = inNanoseconds / 1_000_000
        var digits = String(milliseconds % 1000 + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(milliseconds / 1000)\(digits.isEmpty ? "" : ".\(digits)") s"
    }
}

extension ClosedRange<Duration> {
    /// As the tables write it: `5–30 s`.
    var inTables: String {
        lowerBound == upperBound
            ? lowerBound.inTables : "\(lowerBound.inTables.dropLast(2))–\(upperBound.inTables)"
    }
}
