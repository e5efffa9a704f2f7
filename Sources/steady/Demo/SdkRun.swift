internal import Dispatch
internal import GleapRealtime
internal import SteadySocket

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A minute of a support SDK's life, and what each step led to.
struct SdkRun {
    /// Something the app or its user does.
    enum Step: Sendable {
        case start
        case identify(String)
        case background
        case foreground
        case stop
    }

    /// A step, when it is taken in seconds of the script, and in which words it is reported.
    struct Event: Sendable {
        let at: Double
        let step: Step
        let name: String
    }

    static let script = [
        Event(at: 0, step: .start, name: "session start"),
        Event(at: 0.8, step: .identify("mary"), name: "identify mary"),
        Event(at: 8, step: .identify("mary"), name: "identify mary again"),
        Event(at: 14, step: .identify("john"), name: "identify john"),
        Event(at: 22, step: .background, name: "background"),
        Event(at: 40, step: .foreground, name: "foreground"),
        Event(at: 50, step: .stop, name: "stop"),
    ]
    static let seconds = 56.0

    let api: URL
    let socket: URL
    let apiKey: String
    let speed: Double

    /// Plays a script in real time divided by `speed`.
    func play(_ script: [Event] = script) async throws -> SdkReport {
        let report = Locked(SdkReport())
        var configuration = GleapConfiguration(apiKey: apiKey)
        configuration.apiURL = api
        configuration.socketURL = socket
        let lifecycle = ManualLifecycle()
        var options = GleapOptions()
        options.store = MemoryIdentityStore()
        options.connection.queue = DispatchQueue(label: "steady.demo.sdk")
        options.connection.lifecycle = .custom(lifecycle)
        options.connection.networkPath = .ignored
        options.connection.time = ScaledTime(speed: speed)
        options.connection.log = { entry in report.withLock { $0.note(entry) } }
        let realtime = try GleapRealtime(configuration, options: options)
        let clock = ContinuousClock()
        let begin = clock.now
        for event in script {
            try await clock.sleep(until: begin + .seconds(event.at / speed), tolerance: .zero)
            report.withLock { $0.begin(event) }
            switch event.step {
            case .start: realtime.start()
            case .identify(let user): try realtime.identify(GleapUser(id: user, name: user))
            case .background: lifecycle.state = .background
            case .foreground: lifecycle.state = .foreground
            case .stop: realtime.stop()
            }
        }
        try await clock.sleep(until: begin + .seconds(Self.seconds / speed), tolerance: .zero)
        return report.withLock { $0 }
    }
}

/// What each step led to, put together from the log.
struct SdkReport: Sendable, Encodable {
    struct Row: Sendable, Encodable {
        let at: Double
        let step: String
        var effects: [String] = []
    }

    private(set) var rows: [Row] = []
    private(set) var httpCalls = 0
    private(set) var sockets = 0

    mutating func begin(_ event: SdkRun.Event) { rows.append(Row(at: event.at, step: event.name)) }

    mutating func note(_ entry: LogEntry) {
        let values = entry.metadata
        let attempt = values["attempt.id"].map { "#\($0)" } ?? ""
        switch entry.message {
        case "session request":
            httpCalls += 1
            add("POST \(Self.paths[values["operation"] ?? ""] ?? "?")")
        case "session request failed": add("failed: \(values["error"] ?? "?"), HTTP \(values["http.status"] ?? "?")")
        case "socket opened":
            sockets += 1
            add("socket \(attempt) open")
        case "socket closing":
            add("socket \(attempt) closed \(values["close.code"] ?? "?") \(values["close.cause"] ?? "")")
        default: break
        }
    }

    private mutating func add(_ effect: String) {
        if !rows.isEmpty { rows[rows.count - 1].effects.append(effect) }
    }

    private static let paths = ["start": "/sessions", "identify": "/sessions/identify"]

    /// For people.
    var text: String {
        let width = rows.map(\.step.count).max() ?? 0
        let lines = rows.map { row in
            let at = String(Int(row.at)) + "." + String(Int((row.at * 10).rounded()) % 10)
            let pad = String(repeating: " ", count: max(0, 5 - at.count))
            let step = row.step + String(repeating: " ", count: width - row.step.count)
            return "\(pad)\(at) s  \(step)  \(row.effects.isEmpty ? "nothing" : row.effects.joined(separator: ", "))"
        }
        return (lines + ["", "\(httpCalls) HTTP calls, \(sockets) sockets"]).joined(separator: "\n")
    }
}
