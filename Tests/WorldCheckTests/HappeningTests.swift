import Testing

@testable import WorldCheck

@Suite struct HappeningTests {
    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func aScriptReadsWhatItPrints(seed: UInt64) throws {
        let script = Plan.script(seed: seed)
        #expect(try Happening.script(Happening.text(script)) == script)
    }

    @Test func timesAreExact() throws {
        let script = try Happening.script("0.000000001 sleep 0.5\n 12.25 server crashes 1011 40;; ")
        #expect(
            script == [
                Happening(at: 1, what: .sleep(500_000_000)),
                Happening(at: 12_250_000_000, what: .server(.crashes(1011, after: 40_000_000_000))),
            ])
    }

    @Test func aScriptHasABound() {
        let text = String(repeating: "0 drop;", count: 2001)
        #expect { try Happening.script(text) } throws: { "\($0)" == "the script has 2001 entries; 2000 are the most" }
    }

    @Test(arguments: [
        ("ask a", "'ask a' does not begin with a time from 0 to 2592000 seconds"),
        ("-1 ask a", "'-1 ask a' does not begin with a time from 0 to 2592000 seconds"),
        ("1.0000000001 ask a", "'1.0000000001 ask a' does not begin with a time from 0 to 2592000 seconds"),
        ("1 ask z", "'ask z' is nothing that can happen"),
        ("1", "'' is nothing that can happen"),
        ("1 sleep", "'sleep' is nothing that can happen"),
        ("1 close 70000", "'close 70000' is nothing that can happen"),
        ("1 close 1006", "'close 1006' is nothing that can happen"),
        ("1 sleep +5", "'sleep +5' is nothing that can happen"),
        ("2592001 drop", "'2592001 drop' does not begin with a time from 0 to 2592000 seconds"),
        ("1 server refuses 503", "'server refuses 503' is nothing that can happen"),
        ("2 drop; 1 drop", "'1 drop' lies before what stands before it"),
    ])
    func aWrongScriptSaysWhatIsWrong(text: String, message: String) {
        #expect { try Happening.script(text) } throws: { "\($0)" == message }
    }
}
