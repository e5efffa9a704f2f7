import ConnectionLedger
import FoundationEssentials
import Testing

@Suite struct LedgerTests {
    private static let record = SocketRecord(
        id: 7, opened: WallTime(milliseconds: 1_000), closed: WallTime(milliseconds: 61_234), seconds: 60.234,
        path: "/live/äö", query: ["session": "a\"b\n"], peer: "127.0.0.1:5", code: 4001, reason: "tschüß",
        sentCode: 4001, closedBy: .client, note: "n", bytesIn: 1, bytesOut: 2, messagesIn: 3, messagesOut: 4,
        pingsIn: 5)

    private func socket(_ seconds: Double, code: UInt16 = 1000, key: String? = nil) -> LedgerEntry {
        .socket(
            SocketRecord(
                id: 1, opened: WallTime(milliseconds: 0), closed: WallTime(milliseconds: 0), seconds: seconds,
                query: key.map { ["session": $0] } ?? [:], code: code, closedBy: .client))
    }

    // MARK: Time

    @Test func everyMillisecondSurvivesTheText() {
        for millisecond in Int64(0)..<1000 {
            let time = WallTime(milliseconds: 1_796_006_825_000 + millisecond)
            #expect(WallTime(iso8601: time.description) == time, "\(time)")
        }
        #expect(WallTime(milliseconds: 1_796_006_825_123).description == "2026-11-30T02:47:05.123Z")
        #expect(WallTime(milliseconds: -1).description == "1969-12-31T23:59:59.999Z")
    }

    @Test func timesAreReadWithAndWithoutFraction() {
        #expect(WallTime(iso8601: "1970-01-01T00:00:01Z") == WallTime(milliseconds: 1000))
        #expect(WallTime(iso8601: "1970-01-01T00:00:01.5Z") == WallTime(milliseconds: 1500))
        #expect(WallTime(iso8601: "yesterday") == nil)
        #expect(WallTime(Date(timeIntervalSince1970: 1.0019)) == WallTime(milliseconds: 1001))
    }

    // MARK: Lines

    @Test func entriesSurviveTheText() throws {
        let entries: [LedgerEntry] = [
            .socket(Self.record), socket(1, code: 1005),
            .refusal(RefusalRecord(time: WallTime(milliseconds: 9), status: 503, peer: "p")),
            .refusal(RefusalRecord(time: WallTime(milliseconds: 9), status: nil)),
        ]
        let text = try entries.map(LedgerLines.encode).reduce(Data(), +)
        #expect(text.split(separator: UInt8(ascii: "\n")).count == 4)
        let (decoded, problems) = LedgerLines.decode(text)
        #expect(decoded == entries)
        #expect(problems.isEmpty)
    }

    @Test func aLineIsPlainJSON() throws {
        let line = String(
            decoding: try LedgerLines.encode(
                .refusal(RefusalRecord(time: WallTime(milliseconds: 0), status: 503, peer: "127.0.0.1:5"))),
            as: UTF8.self)
        #expect(
            line == #"{"kind":"refusal","peer":"127.0.0.1:5","status":503,"time":"1970-01-01T00:00:00.000Z"}"# + "\n")
    }

    @Test func brokenLinesAreNamedAndTheOthersKept() throws {
        let good = String(String(decoding: try LedgerLines.encode(.socket(Self.record)), as: UTF8.self).dropLast())
        let lines: [String] = [
            good, "", "nonsense", "[1]", #"{"kind":"socket","id":1}"#,
            good.replacing("60.234", with: "\"secret\""), good.replacing("\"client\"", with: "\"x\""),
            good.replacing("1970-01-01T00:00:01.000Z", with: "soon"), #"{"kind":"other"}"#,
            good + "\r", String(good.dropLast(20)),
        ]
        var text = Data(lines.joined(separator: "\n").utf8)
        text += [UInt8(ascii: "\n"), 0xFF, UInt8(ascii: "\n")]
        let (entries, problems) = LedgerLines.decode(text)
        #expect(entries == [.socket(Self.record), .socket(Self.record)])
        #expect(
            problems.map(\.description) == [
                "line 3: not JSON", "line 4: not a JSON object", "line 5: the field \"opened\" is missing",
                "line 6: the field \"seconds\" is not a number",
                "line 7: the field \"closedBy\" has a value that is not allowed",
                "line 8: the field \"opened\" has a value that is not allowed",
                "line 9: the field \"kind\" has a value that is not allowed", "line 11: not JSON", "line 12: not JSON",
            ])
        #expect(!problems.contains { $0.message.contains("secret") })
    }

    @Test func nothingIsReadFromNothing() {
        let (entries, problems) = LedgerLines.decode(Data())
        #expect(entries.isEmpty && problems.isEmpty)
    }

    // MARK: Statistics

    @Test func emptyStatisticsHaveNoFigures() {
        let statistics = LedgerStatistics()
        #expect(statistics.connects == 0 && statistics.refusals == 0)
        #expect(statistics.shortLivedShare == nil && statistics.socketsPerKey == nil)
        #expect(statistics.medianSeconds == nil && statistics.percentile95Seconds == nil)
    }

    @Test func countsAndShares() {
        var statistics = LedgerStatistics()
        statistics.add([
            socket(29.999), socket(30, code: 1006), socket(100, code: 1006), socket(5, code: 4001),
            .refusal(RefusalRecord(time: WallTime(milliseconds: 0), status: 503)),
            .refusal(RefusalRecord(time: WallTime(milliseconds: 0), status: 503)),
            .refusal(RefusalRecord(time: WallTime(milliseconds: 0), status: nil)),
        ])
        #expect(statistics.connects == 4)
        #expect(statistics.refusals == 3)
        #expect(statistics.refusalStatuses == [503: 2, nil: 1])
        #expect(statistics.shortLivedShare == 0.5)
        #expect(statistics.closeCodes == [1000: 1, 1006: 2, 4001: 1])
        #expect(statistics.closers == [.client: 4])
        #expect(statistics.socketsByKey.isEmpty)
    }

    @Test func aSpedUpRunIsJudgedInItsOwnSeconds() {
        var statistics = LedgerStatistics(shorterThan: 30, timeScale: 10)
        statistics.add([socket(2.9), socket(3), socket(6)])
        #expect(statistics.shortLived == 1)
        #expect(statistics.medianSeconds == 30)
        #expect(statistics.percentile95Seconds == 60)
    }

    @Test(arguments: [(1, 1.0, 1.0), (2, 1.5, 2), (3, 2, 3), (19, 10, 19), (20, 10.5, 19), (100, 50.5, 95)])
    func percentilesAreExact(count: Int, median: Double, percentile: Double) {
        var statistics = LedgerStatistics()
        statistics.add((1...count).reversed().map { socket(Double($0)) })
        #expect(statistics.medianSeconds == median)
        #expect(statistics.percentile95Seconds == percentile)
    }

    @Test func socketsAreCountedByKey() {
        var statistics = LedgerStatistics()
        statistics.add([socket(1, key: "a"), socket(1, key: "a"), socket(1, key: "b"), socket(1)]) {
            $0.query["session"]
        }
        #expect(statistics.socketsByKey == ["a": 2, "b": 1])
        #expect(statistics.socketsPerKey == 1.5)
    }
}
