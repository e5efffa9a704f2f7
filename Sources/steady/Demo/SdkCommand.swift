internal import GleapRealtime

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// `steady demo --sdk`: the realtime layer of a support SDK, call by call.
enum SdkCommand {
    static let sdk = Flag("sdk", "Play a support SDK's session start and identify instead of the hour.")
    static let service = Option(
        "service", "URL",
        "With --sdk: the service to play against, HTTP and WebSocket on one port. Default: a built-in one.",
        ValueKind<URL>("an http URL such as http://127.0.0.1:8080") { text in
            URL(string: text).flatMap { $0.scheme == "http" && $0.host?.isEmpty == false ? $0 : nil }
        })
    static let apiKey = Option(
        "api-key", "KEY", "With --service: the key the service expects. Default: demo.",
        ValueKind<String>.nonEmptyText.secret)

    /// Five seconds of waiting are enough to see it.
    private static let defaultSpeed = 10.0

    static func run(_ arguments: ParsedArguments, speed: Double?, json: Bool) async -> ExitCode {
        let speed = speed ?? defaultSpeed
        do {
            let builtIn = arguments.value(service) == nil ? try SdkService() : nil
            guard let api = arguments.value(service) ?? builtIn?.api,
                let socket = builtIn?.socket ?? webSocket(api)
            else { throw GleapError(.invalidConfiguration, "the service's URL cannot be used for WebSockets") }
            if !json { Output.line("playing \(Int(SdkRun.seconds)) s at \(Int(speed)) times the speed …\n") }
            let run = SdkRun(api: api, socket: socket, apiKey: arguments.value(apiKey) ?? "demo", speed: speed)
            let report = try await run.play()
            await builtIn?.stop()
            if json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                Output.line(String(decoding: try encoder.encode(report), as: UTF8.self))
            } else {
                Output.line(report.text)
            }
            guard report.sockets > 0 else {
                Output.complaint("steady: no socket was opened; is the service there, and the API key right?")
                return .failure
            }
            return .success
        } catch {
            Output.complaint("steady: the demo failed: \(error)")
            return .failure
        }
    }

    private static func webSocket(_ api: URL) -> URL? {
        var parts = URLComponents(url: api, resolvingAgainstBaseURL: true)
        parts?.scheme = "ws"
        return parts?.url
    }
}
