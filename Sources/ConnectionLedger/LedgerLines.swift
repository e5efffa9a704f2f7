#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A ledger as text: one JSON object per line (NDJSON), each line complete in itself.
package enum LedgerLines {
    /// A line that could not be read. The others were.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// The number of the line, counted from 1.
        package var line: Int
        /// What is wrong with it. Never repeats a value of the line.
        package var message: String

        package var description: String { "line \(line): \(message)" }
    }

    /// The line of one entry, with its newline.
    package static func encode(_ entry: LedgerEntry) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var line = try encoder.encode(entry)
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// Reads every line that can be read and says what is wrong with the rest. Blank lines are skipped.
    package static func decode(_ data: Data) -> (entries: [LedgerEntry], problems: [Problem]) {
        let decoder = JSONDecoder()
        var entries: [LedgerEntry] = []
        var problems: [Problem] = []
        let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.allSatisfy(isBlank) {
            do {
                entries.append(try decoder.decode(LedgerEntry.self, from: Data(line)))
            } catch {
                problems.append(Problem(line: index + 1, message: explain(error)))
            }
        }
        return (entries, problems)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    private static func explain(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _):
            return "the field \"\(key.stringValue)\" is missing"
        case DecodingError.typeMismatch(_, let context) where context.codingPath.isEmpty:
            return "not a JSON object"
        case DecodingError.typeMismatch(let type, let context):
            return "the field \(name(context)) is not a \(plain(type))"
        case DecodingError.valueNotFound(let type, let context):
            return "the field \(name(context)) is null where a \(plain(type)) is needed"
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            return "not JSON"
        case DecodingError.dataCorrupted(let context):
            return "the field \(name(context)) has a value that is not allowed"
        default:
            return "cannot be read as a record"
        }
    }

    private static func name(_ context: DecodingError.Context) -> String {
        "\"\(context.codingPath.map(\.stringValue).joined(separator: "."))\""
    }

    private static func plain(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "string"
        case is any BinaryInteger.Type, is Double.Type: "number"
        case is [String: String].Type, is [String: Any].Type: "JSON object"
        default: "\(type)"
        }
    }
}
