import ConnectionCore
import ConnectionModel
import Testing

/// A machine on a stage: scripts in the notation of `Step`, and what the machine did with the time at which it did it.
///
/// Every step is also checked against the reference model and the invariants.
struct Scene {
    private(set) var run: Run
    /// What the machine did, oldest first, such as `1.5 open #1`.
    private(set) var log: [String] = []

    init(
        _ setting: Setting = .standard, app: AppState = .foreground, network: NetworkPath = .unknown,
        draws: EndGenerator = .shortest
    ) throws {
        run = Run(setting, app: app, network: network, draws: .end(draws))
    }

    var status: ConnectionStatus { run.machine.status }
    var now: Double { Double(run.now) / 1e9 }
    /// The next deadline in seconds from the start.
    var deadline: Double? { run.machine.nextDeadline.map { Double($0.nanoseconds) / 1e9 } }

    /// Plays a script; `until 12.5` hands the machine every deadline up to that moment and stops there.
    mutating func play(_ script: String) throws {
        for part in script.split(separator: ";") {
            let text = DesignDocument.trimmed(part)
            guard !text.isEmpty else { continue }
            if text.hasPrefix("until ") {
                try play(until: try #require(Double(text.dropFirst(6)), "not a time: \(text)"))
            } else {
                try perform(try #require(Step(text), "not a step: \(text)"))
            }
        }
    }

    private mutating func play(until seconds: Double) throws {
        let end = Int64(seconds * 1e9)
        while let deadline = run.machine.nextDeadline?.nanoseconds, deadline <= end { try perform(.wake(late: 0)) }
        try #require(run.now <= end, "it is \(now) s already")
        try perform(.wait(end - run.now))
    }

    private mutating func perform(_ step: Step) throws {
        try run.perform(step)
        guard let actions = run.lastActions else { return }
        if let attempt = actions.abandon { note("abandon \(attempt)") }
        if let open = actions.open { note("open \(open.attempt)\(open.refused ? " refused" : "")") }
        if let attempt = actions.ping { note("ping \(attempt)") }
        if let close = actions.close { note("close \(close.attempt) \(close.code) \(close.cause)") }
        if let time = actions.backgroundTime { note("\(time) background time") }
    }

    private mutating func note(_ text: String) {
        let time = Duration.nanoseconds(run.now).inTables.dropLast(2)
        log.append("\(time) \(text)")
    }

    /// What the machine must have done since the last time, no more and no less.
    mutating func expect(_ expected: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(log == expected, sourceLocation: sourceLocation)
        log = []
    }

    /// The status, as people read it.
    func expect(status: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(self.status.description == status, sourceLocation: sourceLocation)
    }
}
