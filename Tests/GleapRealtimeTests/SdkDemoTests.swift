import Foundation
import GleapRealtime
import PeerSupport
import SteadySocket
import Testing

@testable import steady

/// `steady demo --sdk`, against the service it brings and against the stand-in of the tests.
@Suite struct SdkDemoTests {
    /// The script, with the identify right behind the start: a late one could miss the quiet window on a busy machine.
    private let script = SdkRun.script.map { $0.at == 0.8 ? SdkRun.Event(at: 0, step: $0.step, name: $0.name) : $0 }

    private func check(_ report: SdkReport) {
        #expect(report.rows.map(\.step) == SdkRun.script.map(\.name))
        // Not step by step: on a busy machine an effect may come a step late.
        #expect(
            report.rows.flatMap(\.effects) == [
                "POST /sessions", "POST /sessions/identify", "socket #1 open", "POST /sessions/identify",
                "socket #1 closed 1000 replaced", "socket #2 open", "socket #2 closed 1001 background",
                "socket #3 open", "socket #3 closed 1000 disconnected",
            ])
        #expect(report.httpCalls == 3 && report.sockets == 3)
    }

    @Test("with the built-in service")
    func builtIn() async throws {
        let service = try SdkService()
        check(try await SdkRun(api: service.api, socket: service.socket, apiKey: "demo", speed: 5).play(script))
        await service.stop()
    }

    @Test("with the stand-in, which sees the same")
    func standIn() async throws {
        let service = try await GleapService()
        let run = SdkRun(api: service.apiURL, socket: service.socketURL, apiKey: GleapService.apiKey, speed: 5)
        check(try await run.play(script))
        #expect(try await service.opened() == ["mary", "john", "john"])
        #expect(try await service.calls() == ["/sessions", "/sessions/identify", "/sessions/identify"])
    }

    @Test("the report names the steps that led to nothing, and counts")
    func text() {
        var report = SdkReport()
        report.begin(SdkRun.script[0])
        report.note(LogEntry(level: .debug, message: "session request", metadata: ["operation": "start"]))
        report.begin(SdkRun.script[2])
        #expect(
            report.text == """
                  0.0 s  session start        POST /sessions
                  8.0 s  identify mary again  nothing

                1 HTTP calls, 0 sockets
                """)
    }
}
