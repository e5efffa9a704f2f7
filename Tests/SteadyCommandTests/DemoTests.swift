import ConnectionLedger
import Testing

@testable import steady

@Suite struct DemoTests {
    private func socket(_ id: UInt64, from opened: Int64, to closed: Int64, code: UInt16) -> LedgerEntry {
        .socket(
            SocketRecord(
                id: id, opened: WallTime(milliseconds: opened), closed: WallTime(milliseconds: closed),
                seconds: Double(closed - opened) / 1000, code: code, closedBy: .client))
    }

    private func refusal(at time: Int64) -> LedgerEntry {
        .refusal(RefusalRecord(time: WallTime(milliseconds: time), status: 503))
    }

    private let script = DemoScript(
        events: [
            .init(at: 0, step: .launch(inBackground: false)), .init(at: 600, step: .background),
            .init(at: 700, step: .launch(inBackground: true)), .init(at: 900, step: .foreground),
            .init(at: 1000, step: .serverDown), .init(at: 1100, step: .serverUp),
            .init(at: 1200, step: .networkLost), .init(at: 1260, step: .networkBack),
        ], seconds: 3600)

    @Test("the script says when the app was in the foreground, the service away and the network gone")
    func segments() {
        #expect(script.foreground == [0...600, 900...3600])
        #expect(script.outages == [1000...1100])
        #expect(script.offline == [1200...1260])
        #expect(script.foregroundSessions == 2)
    }

    @Test("the hour is in order, ends what it starts and holds everything it promises")
    func hour() {
        let hour = DemoScript.hour
        #expect(hour.events.map(\.at) == hour.events.map(\.at).sorted())
        #expect(hour.events.allSatisfy { (0...hour.seconds).contains($0.at) })
        #expect(hour.foregroundSessions == 8)
        let steps = Set(hour.events.map(\.step))
        #expect(steps.isSuperset(of: [.sessionStart, .identify("mary"), .identify("john"), .background, .foreground]))
        #expect(steps.isSuperset(of: [.launch(inBackground: true), .networkLost, .networkDead, .networkBack]))
        #expect(steps.isSuperset(of: [.serverDown, .serverUp, .peerDies, .terminate]))
    }

    @Test("the report counts in seconds of the script, whatever the speed")
    func report() {
        // At ten times the speed one recorded millisecond is ten.
        let entries = [
            socket(1, from: 1_000, to: 3_900, code: 1005), socket(2, from: 4_000, to: 7_000, code: 1001),
            refusal(at: 1_000 + 100_500), refusal(at: 1_000 + 111_000),
        ]
        let report = DemoReport(
            DemoRun.Outcome(entries: entries, start: WallTime(milliseconds: 1_000), speed: 10), script: script)
        #expect(report.connects == 2)
        #expect(report.socketsPerSession == 1)
        #expect(report.under30sShare == 0.5)
        #expect(report.closeCodes == [1005: 1, 1001: 1])
        #expect(report.outageReconnects == 1)
        #expect(report.sockets.map(\.opened) == [0, 30])
        #expect(report.sockets.map(\.closed) == [29, 60])
    }

    @Test("the text shows both sides of every number, and every socket on the timeline")
    func text() {
        let start = WallTime(milliseconds: 0)
        let old = DemoReport(
            DemoRun.Outcome(
                entries: [
                    socket(1, from: 0, to: 10_000, code: 1005), socket(2, from: 10_000, to: 11_000, code: 1006),
                    socket(3, from: 900_000, to: 1_800_000, code: 1006),
                ], start: start, speed: 1), script: script)
        let steady = DemoReport(
            DemoRun.Outcome(entries: [socket(1, from: 1_500, to: 610_000, code: 1001)], start: start, speed: 1),
            script: script)
        let lines = DemoText(script: script, old: old, steady: steady).text.split(separator: "\n").map(String.init)
        let words = lines.map { $0.split(separator: " ").joined(separator: " ") }
        #expect(words.contains("connects 3 1"))
        #expect(words.contains("sockets per session 1.50 0.50"))
        #expect(words.contains("closed with 1006 no Close frame 2 0"))
        #expect(lines.contains { $0.hasPrefix("  old     *                   ────────────────────6") })
        #expect(lines.contains { $0.hasPrefix("  steady  ─────────────1") })
        #expect(lines.allSatisfy { $0.count <= 100 })
    }
}
