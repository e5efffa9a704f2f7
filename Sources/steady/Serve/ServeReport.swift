#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import ConnectionLedger
internal import LedgerServer

/// Prints what happens at the server, writes the ledger file and sums up.
// The server calls `take` on its queue, one call at a time; the rest is read after `stop` returned, when no call is left.
final class ServeReport: @unchecked Sendable {
    private let json: Bool
    private let file: LedgerFile?
    private(set) var statistics = LedgerStatistics()
    /// Whether a line could not be written to the file.
    private(set) var fileFailed = false

    init(json: Bool, file: LedgerFile?) {
        self.json = json
        self.file = file
    }

    func listening(url: String) {
        Output.line(json ? line(["kind": "listening", "url": url]) : "listening on \(url)")
    }

    func take(_ event: ServerEvent) {
        switch event {
        case .opened(let socket):
            Output.line(json ? line(OpenedLine(socket)) : "#\(socket.id) open \(place(socket.path, socket.query))")
        case .recorded(let entry):
            statistics.add(entry)
            let bytes = Array((try? LedgerLines.encode(entry)) ?? Data())
            if let problem = file?.append(bytes), !fileFailed {
                fileFailed = true
                Output.complaint("steady: the ledger file cannot be written: \(problem); its lines are incomplete now")
            }
            Output.line(json ? String(decoding: bytes.dropLast(), as: UTF8.self) : text(entry))
        }
    }

    func totals() { Output.line(json ? line(TotalsLine(statistics)) : totalsText) }

    // MARK: Text

    private func place(_ path: String, _ query: [String: String]) -> String {
        let items = query.sorted { $0.key < $1.key }.map { " \(printable($0.key))=\(printable($0.value))" }
        return printable(path) + items.joined()
    }

    private func text(_ entry: LedgerEntry) -> String {
        switch entry {
        case .refusal(let record):
            return "refused " + (record.status.map { "with \($0)" } ?? "or gone before an answer") + ", \(record.peer)"
        case .socket(let record):
            let reason = record.reason.isEmpty ? "" : " \"\(printable(record.reason))\""
            let note = record.note.map { " (\($0))" } ?? ""
            return "#\(record.id) \(record.code)\(reason) by \(record.closedBy.rawValue)\(note)"
                + " after \(rounded(record.seconds)) s: in \(record.messagesIn) messages, \(record.bytesIn) bytes;"
                + " out \(record.messagesOut) messages, \(record.bytesOut) bytes;"
                + " \(place(record.path, record.query))"
        }
    }

    private var totalsText: String {
        var lines = ["sockets: \(statistics.connects), refused: \(statistics.refusals)"]
        if let share = statistics.shortLivedShare, let median = statistics.medianSeconds,
            let percentile = statistics.percentile95Seconds
        {
            lines.append("lived less than 30 s: \(rounded(share * 100)) %")
            lines.append("lifetime: median \(rounded(median)) s, 95 % within \(rounded(percentile)) s")
            lines.append("close codes: " + counts(statistics.closeCodes.map { ($0.key.description, $0.value) }))
            lines.append("closed by: " + counts(statistics.closers.map { ($0.key.rawValue, $0.value) }))
        }
        if statistics.refusals > 0 {
            lines.append("refusals: " + counts(statistics.refusalStatuses.map { (name(ofStatus: $0.key), $0.value) }))
        }
        return lines.joined(separator: "\n")
    }

    private func counts(_ counts: [(String, Int)]) -> String {
        counts.sorted { $0.0 < $1.0 }.map { "\($0.0) × \($0.1)" }.joined(separator: ", ")
    }

    private func rounded(_ number: Double) -> String { String((number * 10).rounded() / 10) }

    /// A peer chose the text; on a terminal it must not do more than be read.
    private func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }

    // MARK: JSON

    private func line(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: (try? encoder.encode(value)) ?? Data(), as: UTF8.self)
    }

    private struct OpenedLine: Encodable {
        var kind = "opened"
        var id: UInt64
        var opened: WallTime
        var path: String
        var query: [String: String]
        var peer: String

        init(_ socket: OpenSocket) {
            (id, opened, path, query, peer) = (socket.id, socket.opened, socket.path, socket.query, socket.peer)
        }
    }

    private struct TotalsLine: Encodable {
        var kind = "totals"
        var connects: Int
        var refusals: Int
        var refusalStatuses: [String: Int]
        var under30sShare: Double?
        var closeCodes: [String: Int]
        var closedBy: [String: Int]
        var medianSeconds: Double?
        var p95Seconds: Double?

        init(_ statistics: LedgerStatistics) {
            connects = statistics.connects
            refusals = statistics.refusals
            refusalStatuses = named(statistics.refusalStatuses, name(ofStatus:))
            under30sShare = statistics.shortLivedShare
            closeCodes = named(statistics.closeCodes, \.description)
            closedBy = named(statistics.closers, \.rawValue)
            medianSeconds = statistics.medianSeconds
            p95Seconds = statistics.percentile95Seconds
        }
    }
}

private func name(ofStatus status: Int?) -> String { status.map(String.init) ?? "none" }

private func named<Key>(_ counts: [Key: Int], _ name: (Key) -> String) -> [String: Int] {
    Dictionary(uniqueKeysWithValues: counts.map { (name($0.key), $0.value) })
}
