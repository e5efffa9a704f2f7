/// The two reports side by side and over time, for people.
struct DemoText {
    let script: DemoScript
    let old: DemoReport
    let steady: DemoReport

    /// Columns of the timeline; one column is 45 s of the hour.
    private static let columns = 80

    var text: String {
        (table + [""] + timeline).joined(separator: "\n")
    }

    // MARK: Table

    private var table: [String] {
        var rows: [(String, String, String)] = [("what the server saw", "as it was", "SteadySocket")]
        func add(_ name: String, _ value: (DemoReport) -> String) { rows.append((name, value(old), value(steady))) }
        add("connects") { String($0.connects) }
        add("foreground sessions") { String($0.foregroundSessions) }
        add("sockets per session") { Self.decimal($0.socketsPerSession, places: 2) }
        add("closed in under 30 s") { Self.decimal($0.under30sShare * 100, places: 0) + " %" }
        for code in Set(old.closeCodes.keys).union(steady.closeCodes.keys).sorted() {
            add("closed with \(code)\(Self.meaning(code))") { String($0.closeCodes[code] ?? 0) }
        }
        add("reconnects in the outage") { String($0.outageReconnects) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { name, old, steady in
            Self.padded(name, width) + Self.aligned(old, 12) + Self.aligned(steady, 15)
        }
    }

    private static func meaning(_ code: UInt16) -> String {
        switch code {
        case 1000: " normal"
        case 1001: " going away"
        case 1005: " no code"
        case 1006: " no Close frame"
        default: ""
        }
    }

    // MARK: Timeline

    private var timeline: [String] {
        [
            "one hour, \(Int(script.seconds) / Self.columns) s per column",
            "  app     " + world,
            "  old     " + row(old),
            "  steady  " + row(steady),
            "          " + ruler,
            "  app: ▔ foreground, · background, x no network, ! server down",
            "  sockets: ─ open; the end of each by the code the server saw:",
            "  0 normal (1000)  1 going away (1001)  5 no code (1005)  6 no Close frame (1006)  * several",
        ]
    }

    private func column(_ time: Double) -> Int {
        min(Self.columns - 1, max(0, Int(time / script.seconds * Double(Self.columns))))
    }

    private var world: String {
        var cells = [Character](repeating: "·", count: Self.columns)
        func mark(_ segments: [ClosedRange<Double>], _ sign: Character) {
            for segment in segments {
                for cell in column(segment.lowerBound)...column(segment.upperBound) { cells[cell] = sign }
            }
        }
        mark(script.foreground, "▔")
        mark(script.offline, "x")
        mark(script.outages, "!")
        return String(cells)
    }

    private func row(_ report: DemoReport) -> String {
        var cells = [Character](repeating: " ", count: Self.columns)
        for socket in report.sockets {
            for cell in column(socket.opened)...column(socket.closed) where cells[cell] == " " { cells[cell] = "─" }
        }
        var ends: [Int: [UInt16]] = [:]
        for socket in report.sockets { ends[column(socket.closed), default: []].append(socket.code) }
        for (cell, codes) in ends { cells[cell] = Set(codes).count > 1 ? "*" : Self.sign(codes[0]) }
        return String(cells)
    }

    private static func sign(_ code: UInt16) -> Character {
        switch code {
        case 1000: "0"
        case 1001: "1"
        case 1005: "5"
        case 1006: "6"
        default: "?"
        }
    }

    private var ruler: String {
        let mark = Self.columns / 6
        return (0..<6).map { Self.padded("\($0 * 10) min", mark) }.joined() + "60 min"
    }

    // MARK: Text

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func aligned(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func decimal(_ value: Double, places: Int) -> String {
        let scale = places == 0 ? 1.0 : 100.0
        let whole = Int((value * scale).rounded())
        return places == 0 ? String(whole) : "\(whole / 100)." + String(whole % 100 + 100).dropFirst()
    }
}
