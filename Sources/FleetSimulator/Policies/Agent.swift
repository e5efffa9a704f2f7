package import ConnectionCore

/// One client's reconnect logic: the shipping machine, or a small model of what another library publishes.
///
/// The interface is the machine's own: facts and time go in, actions and one deadline come out.
package protocol Agent: SendableMetatype {
    /// What all clients of a shard share.
    associatedtype Rules: AnyObject

    /// A client of an app in the foreground with a network.
    init(following rules: Rules)

    /// Takes in one event.
    mutating func handle(
        _ event: ConnectionEvent, at now: Instant, using generator: inout some RandomNumberGenerator
    ) -> Actions

    /// When `handle(.timeReached, …)` must be called at the latest.
    var nextDeadline: Instant? { get }

    /// What a server records when this client closes for this cause.
    static func recordedCode(for cause: LocalCloseCause, _ rules: Rules) -> CloseCode
}

extension ConnectionMachine: Agent {
    package init(following rules: MachineRules) {
        self.init(rules: rules, app: .foreground, network: .online(fingerprint: 1))
    }

    package static func recordedCode(for cause: LocalCloseCause, _ rules: MachineRules) -> CloseCode {
        ConnectionPolicy.closeCode(for: cause)
    }
}
