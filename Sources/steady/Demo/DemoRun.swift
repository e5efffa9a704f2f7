internal import ConnectionCore
internal import ConnectionLedger
internal import LedgerServer

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// One app against one server for the length of the script.
struct DemoRun {
    /// What the server saw, with times in seconds of the script.
    struct Outcome: Sendable {
        var entries: [LedgerEntry]
        var start: WallTime
        var speed: Double
    }

    static func play(
        _ script: DemoScript, speed: Double, app make: (UInt16) throws -> any DemoApp
    ) async throws -> Outcome {
        let server = LedgerServer()
        let port = try server.start()
        let app = try make(port)
        let clock = ContinuousClock()
        let begin = clock.now
        let start = WallTime(Date())
        for event in script.events {
            try await clock.sleep(until: begin + .seconds(event.at / speed), tolerance: .zero)
            switch event.step {
            case .serverDown: await server.goDown(.refusing(Refusal(503)), ending: .close(.goingAway))
            case .serverUp: await server.comeUp()
            // The packets that still arrive from a dead network are those of the goodbye; nothing is answered.
            case .peerDies, .networkDead: server.apply(.silence)
            case .launch, .sessionStart, .identify, .background, .foreground, .terminate, .networkLost, .networkBack:
                break
            }
            app.take(event.step)
        }
        try await clock.sleep(until: begin + .seconds(script.seconds / speed), tolerance: .zero)
        await server.stop()
        return Outcome(entries: server.entries, start: start, speed: speed)
    }
}
