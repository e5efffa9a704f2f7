internal import ConnectionCore

/// A situation that a fleet lives through under a policy.
protocol Scenario: Sendable {
    associatedtype Outcome
    var policy: Policy { get }
    /// Runs it with clients of this kind; `progress` hears how far it is, from 0 to 1.
    func run<A: Agent>(_: A.Type, _ progress: (Double) -> Void, rules: @escaping () -> A.Rules) -> Outcome
}

extension Scenario {
    /// Runs it with the clients of the policy: the shipping machine, or the model of what another library publishes.
    ///
    /// Inlined where the scenario is known, so that the engine is compiled for it: three times as fast.
    @inline(__always)
    func runPolicy(_ progress: (Double) -> Void) -> Outcome {
        if let configuration = policy.configuration {
            return run(ConnectionMachine.self, progress) { MachineRules(configuration.unshared) }
        }
        let policy = policy
        return run(PublishedMachine.self, progress) { policy.published! }
    }
}

extension Configuration {
    /// A copy whose tables are its own: threads that counted references to the same ones would slow each other down.
    var unshared: Configuration {
        var copy = self
        copy.retryRules.closeCodes = Dictionary(uniqueKeysWithValues: retryRules.closeCodes.map { ($0.key, $0.value) })
        copy.retryRules.statuses = Dictionary(uniqueKeysWithValues: retryRules.statuses.map { ($0.key, $0.value) })
        return copy
    }
}
