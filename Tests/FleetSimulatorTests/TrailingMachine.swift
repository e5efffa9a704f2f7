import ConnectionCore

@testable import FleetSimulator

/// The machine behind a debounce that every ask and every return to the foreground restarts: the rule of the independent
/// model of the day. The machine itself restarts its quiet window only for another channel, and waits 0.25 s on a return.
struct TrailingMachine: Agent {
    final class Rules {
        let machine: MachineRules
        /// In nanoseconds.
        let quiet: Int64

        /// - Parameter debounce: seconds.
        init(_ configuration: Configuration, debounce: Double) {
            var configuration = configuration
            configuration.askQuietWindow = .zero
            configuration.foregroundDebounce = .zero
            machine = MachineRules(configuration)
            quiet = Int64(debounce * 1e9)
        }
    }

    private var machine: ConnectionMachine
    private let quiet: Int64
    private var held: ChannelID?
    /// The machine has not been told of the return yet.
    private var holdsReturn = false
    private var due = Int64.max

    init(following rules: Rules) {
        machine = ConnectionMachine(following: rules.machine)
        quiet = rules.quiet
    }

    static func recordedCode(for cause: LocalCloseCause, _ rules: Rules) -> CloseCode {
        ConnectionMachine.recordedCode(for: cause, rules.machine)
    }

    var nextDeadline: Instant? {
        let next = min(due, machine.nextDeadline?.nanoseconds ?? .max)
        return next == .max ? nil : Instant(nanoseconds: next)
    }

    mutating func handle(
        _ event: ConnectionEvent, at now: Instant, using generator: inout some RandomNumberGenerator
    ) -> Actions {
        var actions = Actions()
        func tell(_ event: ConnectionEvent) {
            let more = machine.handle(event, at: now, using: &generator)
            actions.abandon = more.abandon ?? actions.abandon
            actions.close = more.close ?? actions.close
            actions.open = more.open ?? actions.open
            actions.ping = more.ping ?? actions.ping
            actions.backgroundTime = more.backgroundTime ?? actions.backgroundTime
        }
        if due <= now.nanoseconds {
            due = .max
            if holdsReturn { tell(.enteredForeground) }
            if let held { tell(.ask(held)) }
            (holdsReturn, held) = (false, nil)
        }
        switch event {
        case .ask(let channel):
            guard channel != machine.liveChannel || held != nil else { break }
            held = channel
            due = now.nanoseconds + quiet
        case .enteredForeground:
            if machine.liveChannel == nil {
                holdsReturn = true
                due = now.nanoseconds + quiet
            } else {
                tell(event)
            }
        case .enteredBackground:
            if !holdsReturn { tell(event) }
            (holdsReturn, held, due) = (false, nil, .max)
        case .disconnect, .opened, .messageReceived, .frameReceived, .readingPaused, .readingResumed, .ended,
            .backgroundTimeExpired, .pathChanged, .timeReached:
            tell(event)
        }
        return actions
    }
}
