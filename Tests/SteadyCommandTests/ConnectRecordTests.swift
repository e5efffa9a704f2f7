import ConnectionCore
import ConnectionLedger
import Foundation

import SteadyTransport
import Testing

@testable import SteadySocket
@testable import steady

@Suite struct ConnectRecordTests {
    private let first = AttemptID(1)

    @Test func statusesSayWhyAndWhenNext() {
        let waiting = ConnectionStatus.waiting(
            .server(.closedByPeer(.tryAgainLater)), delay: .milliseconds(12_400), until: .zero)
        for (record, text) in [
            (.status(waiting), "waiting 12.4 s: server said 1013"),
            (.status(.held(.background)), "held: background"),
            (.status(.held(.refused(.openingRefused(status: 403)))), "stopped: HTTP 403"),
            (.opened(first, OpeningResult(), gap: nil), "open #1"),
            (
                .opened(
                    first, OpeningResult(subprotocol: "x", extensions: "permessage-deflate"), gap: .milliseconds(2050)),
                "open #1 (subprotocol x, extensions permessage-deflate, after a gap of 2.050 s)"
            ),
            (
                .closed(
                    first,
                    TransportClose(.closedByPeer(.serviceRestart), closeCode: .serviceRestart, closeReason: "deploy")),
                "closed #1: peer closed with 1012 \"deploy\""
            ),
            (
                .closed(
                    first,
                    TransportClose(
                        .closedLocally(.exiting), closeCode: .goingAway, closeReason: "exiting", outcome: .acknowledged)
                ),
                "closed #1: closed here: exiting, acknowledged"
            ),
            (
                .closed(
                    first, TransportClose(.openingFailed(.tls), error: ConnectionError(.tls, "certificate has expired"))
                ),
                "closed #1: opening failed: TLS, tls: certificate has expired"
            ),
            (.unsent(line: 3, why: "it is too long", code: nil), "steady: line 3 was not sent: it is too long"),
            (.app(.background), "app: background"),
            (.failure("it broke"), "steady: it broke"),
            (.decision(Decision(at: Instant(nanoseconds: 1_002_000_000), kind: .ping(first))), "+1.002 s ping #1"),
        ] as [(ConnectRecord, String)] {
            #expect(record.text?.text == text)
            #expect(record.text?.target == .standardError)
        }
        #expect(ConnectRecord.sent(line: 1, bytes: 2).text == nil)
    }

    @Test func messagesGoToStandardOutputAsTheyCame() throws {
        let text = try #require(ConnectRecord.message(.text("a\u{1B}[2J\nb")).text)
        #expect(text == (.standardOutput, "a\u{1B}[2J\nb"))
        let short = try #require(ConnectRecord.message(.binary(Data([0, 0x0F, 0xFF]))).text)
        #expect(short == (.standardOutput, "binary, 3 bytes: 000fff"))
        let long = try #require(ConnectRecord.message(.binary(Data(repeating: 0xAB, count: 33))).text)
        #expect(long.text == "binary, 33 bytes: \(String(repeating: "ab", count: 32))…")
        #expect(ConnectRecord.message(.binary(Data())).text?.text == "binary, 0 bytes")
    }

    @Test func whatAPeerChoseCannotDriveATerminal() {
        let close = TransportClose(
            .closedByPeer(.normalClosure), closeCode: .normalClosure, closeReason: "a\u{1B}[2J\n")
        #expect(ConnectRecord.closed(first, close).text?.text.hasSuffix("\"a\u{FFFD}[2J\u{FFFD}\"") == true)
        let result = OpeningResult(subprotocol: "a\u{7}", extensions: "\u{9B}x")
        #expect(
            ConnectRecord.opened(first, result, gap: nil).text?.text
                == "open #1 (subprotocol a\u{FFFD}, extensions \u{FFFD}x)")
        #expect(printable("tab\t\u{1B}", keeping: ["\t"]) == "tab\t\u{FFFD}")
    }

    @Test func onATerminalMessagesKeepOnlyLinesAndTabs() async {
        for (isTerminal, expected) in [(true, "a\t\u{FFFD}[2J\nb"), (false, "a\t\u{1B}[2J\nb")] {
            let lines = Lines()
            let output = ConnectOutput(json: false, isTerminal: isTerminal, write: lines.write)
            #expect(await output.put(.message(.text("a\t\u{1B}[2J\nb"))))
            #expect(lines.all.map(\.text) == [expected])
        }
    }

    @Test func jsonHasTheDocumentedKeysInAStableOrder() {
        let time = WallTime(milliseconds: 1_000)
        let at = #""at":"1970-01-01T00:00:01.000Z""#
        let waiting = ConnectionStatus.waiting(
            .backoff(failure: 2, .connectionLost), delay: .milliseconds(4100), until: .zero)
        for (record, json) in [
            (
                .status(waiting),
                #"{\#(at),"kind":"status","seconds":4.1,"state":"waiting","text":"waiting 4.1 s: connection lost (1006), "#
                    + #"failure 2","why":"connection lost (1006), failure 2"}"#
            ),
            (.status(.idle), #"{\#(at),"kind":"status","state":"idle","text":"idle"}"#),
            (
                .status(.held(.offline)),
                #"{\#(at),"kind":"status","state":"held","text":"held: offline","why":"offline"}"#
            ),
            (
                .opened(first, OpeningResult(subprotocol: "x"), gap: .milliseconds(1500)),
                #"{\#(at),"attempt":1,"gap":1.5,"kind":"status","state":"open","subprotocol":"x","text":"open #1"}"#
            ),
            (.message(.text("a\"/\n")), #"{\#(at),"bytes":4,"kind":"message","text":"a\"/\n"}"#),
            (.message(.binary(Data([1, 2, 3]))), #"{\#(at),"binary":"AQID","bytes":3,"kind":"message"}"#),
            (.sent(line: 7, bytes: 3), #"{\#(at),"bytes":3,"kind":"sent","line":7}"#),
            (
                .closed(
                    first,
                    TransportClose(
                        .openingRefused(status: 503), retryAfter: .seconds(7),
                        error: ConnectionError(.refused, "HTTP 503"))),
                #"{\#(at),"attempt":1,"code":1006,"error":"refused","kind":"closed","message":"HTTP 503","retryAfter":7,"#
                    + #""why":"HTTP 503"}"#
            ),
            (
                .unsent(line: 2, why: "no", code: .timedOut),
                #"{\#(at),"error":"timedOut","kind":"error","line":2,"message":"no"}"#
            ),
            (.app(.foreground), #"{\#(at),"kind":"app","state":"foreground"}"#),
            (.failure("no"), #"{\#(at),"kind":"error","message":"no"}"#),
        ] as [(ConnectRecord, String)] {
            #expect(record.json(at: time) == json)
        }
    }

    @Test func decisionsDoNotShowTheQuery() throws {
        let channel = try Channel("ws://localhost/path?token=hush")
        let record = ConnectRecord.decision(Decision(at: .zero, kind: .asked(channel.id)))
        let text = try #require(record.text?.text)
        #expect(text.hasPrefix("+0.000 s asked for ws://localhost") && !text.contains("hush"))
        #expect(!record.json(at: WallTime(milliseconds: 0)).contains("hush"))
    }

    @Test func aFullNonBlockingPipeIsWaitedFor() async throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        let writing = Task.detached {
            defer { try? pipe.fileHandleForWriting.close() }
            return Output.write(bytes, to: descriptor)
        }
        let read = try pipe.fileHandleForReading.readToEnd()
        #expect(await writing.value == nil)
        #expect(read?.count == bytes.count)
    }
}
