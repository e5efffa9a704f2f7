internal import ConnectionLedger

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// `steady demo`: one app's hour, the way it was and with SteadySocket, as the server sees it.
enum DemoCommand {
    private static let speed = Option(
        "speed", "N", "How many times faster than real. Default 60: an hour in a minute. With --sdk 10.",
        ValueKind<Double>.number(1...120))
    private static let json = Flag("json", "Print one JSON object instead of the table and the timeline.")

    static let command = Command(
        spec: CommandSpec(
            name: "demo", summary: "Play one app's hour twice and show what the server saw.",
            details: """
                Starts a server on loopback for each side and plays the same hour against both at once over real
                sockets: session start and identify, an identity change, short and long stays in the background, a
                launch into the background, network loss, a server restart, a dead peer.

                As it was: a bare cancel and a new socket at every start and identify, a retry every 5 s, nothing on
                the way to the background. SteadySocket: its standard configuration, on a clock that runs N times
                faster.

                --json prints `speed`, `seconds`, `old` and `steady`; both sides hold `connects`, `foregroundSessions`,
                `socketsPerSession`, `under30sShare`, `closeCodes` and `outageReconnects`.

                --sdk plays something else: a minute of GleapRealtime, the session layer of a support SDK. Session start,
                identify, the same identify again, another user, background and return, with the HTTP calls and sockets
                each of them led to. --json then prints `rows` (`at`, `step`, `effects`), `httpCalls` and `sockets`.
                """,
            options: [
                speed.once, json.argument, SdkCommand.sdk.argument, SdkCommand.service.once, SdkCommand.apiKey.once,
            ],
            exitCodes: [.success, .failure]),
        run: run)

    @Sendable
    private static func run(_ arguments: ParsedArguments) async throws(UsageError) -> ExitCode {
        if arguments.has(SdkCommand.sdk) {
            return await SdkCommand.run(arguments, speed: arguments.value(speed), json: arguments.has(json))
        }
        guard arguments.value(SdkCommand.service) == nil, arguments.value(SdkCommand.apiKey) == nil else {
            throw UsageError("--service and --api-key go with --sdk; add it or leave them out", command: "demo")
        }
        let speed = arguments.value(speed) ?? 60
        let script = DemoScript.hour
        do {
            if !arguments.has(json) {
                Output.line("playing \(Int(script.seconds)) s at \(Int(speed)) times the speed …\n")
            }
            async let oldOutcome = DemoRun.play(script, speed: speed) { OldApp(port: $0, speed: speed) }
            async let steadyOutcome = DemoRun.play(script, speed: speed) { try SteadyApp(port: $0, speed: speed) }
            let old = DemoReport(try await oldOutcome, script: script)
            let steady = DemoReport(try await steadyOutcome, script: script)
            if arguments.has(json) {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys]
                let object = DemoJSON(
                    speed: speed, seconds: script.seconds, old: DemoJSON.Side(old), steady: DemoJSON.Side(steady))
                Output.line(String(decoding: try encoder.encode(object), as: UTF8.self))
            } else {
                Output.line(DemoText(script: script, old: old, steady: steady).text)
            }
            return .success
        } catch {
            Output.complaint("steady: the demo failed: \(error)")
            return .failure
        }
    }
}
