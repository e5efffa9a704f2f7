/// A configuration with its durations clamped and turned into nanoseconds, shared by all machines that follow it.
public final class MachineRules: Sendable {
    /// The configuration as given.
    public let configuration: Configuration
    let askQuietWindow, askCeiling, foregroundDebounce: Int64
    let openingHandshake, closingHandshake: Int64
    let pingEvery: Int64?
    let pongTimeout, probeTimeout: Int64
    let backgroundGrace: Int64?
    let budgetInterval, budgetSlack: Int64
    let suspensionThreshold: Int64
    let startsOverAfterMessage: Bool
    let startsOverAfterOpenFor: Int64?
    /// The bounds of the waits after the first failures in a row.
    private let firstBackoffs: [ClosedRange<Int64>]

    /// Clamps as the documentation of each property says.
    public init(_ configuration: Configuration) {
        func clamped(_ duration: Duration, atLeast least: Int64 = 0) -> Int64 { max(least, duration.inNanoseconds) }
        self.configuration = configuration
        askQuietWindow = clamped(configuration.askQuietWindow)
        askCeiling = clamped(configuration.askCeiling, atLeast: askQuietWindow)
        foregroundDebounce = clamped(configuration.foregroundDebounce)
        openingHandshake = clamped(configuration.timeouts.openingHandshake)
        closingHandshake = clamped(configuration.timeouts.closingHandshake)
        pingEvery = configuration.keepalive.time.map { clamped($0, atLeast: 1_000_000_000) }
        pongTimeout = clamped(configuration.keepalive.timeout)
        probeTimeout = clamped(configuration.keepalive.probeTimeout)
        backgroundGrace = configuration.backgroundGrace.map { clamped($0) }
        budgetInterval = clamped(configuration.budget.interval)
        let slack = Int64(max(1, configuration.budget.burst) - 1).multipliedReportingOverflow(by: budgetInterval)
        budgetSlack = slack.overflow ? .max : slack.partialValue
        suspensionThreshold = clamped(configuration.suspensionThreshold, atLeast: 1_000_000_000)
        startsOverAfterMessage = configuration.startOver.afterMessage
        startsOverAfterOpenFor = configuration.startOver.afterOpenFor?.inNanoseconds
        firstBackoffs = (1...16).map { configuration.backoff.bounds(forFailure: $0) }
    }

    /// The rule for this ending.
    func rule(for reason: DisconnectReason) -> RetryRules.Rule { configuration.retryRules.rule(for: reason) }

    /// The shortest and the longest wait after failure number `failure`, counted from 1, in nanoseconds.
    func backoffBounds(forFailure failure: Int) -> ClosedRange<Int64> {
        firstBackoffs.indices.contains(failure - 1)
            ? firstBackoffs[failure - 1] : configuration.backoff.bounds(forFailure: failure)
    }
}

extension MachineRules: Hashable {
    /// Rules are the same when they are one object.
    public static func == (left: MachineRules, right: MachineRules) -> Bool { left === right }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
