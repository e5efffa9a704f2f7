internal import ConnectionCore
internal import SteadySocket
internal import SteadyTransport

/// What `steady connect` was asked to do, checked.
struct ConnectSettings: Sendable {
    let request: ConnectionRequest
    var identity = ""
    var configuration = Configuration.standard
    /// Nil for the platform's own.
    var transport: (any Transport)?
    var json = false
    var decisions = false
    /// Whether the session ends with its first socket. See `stopAfterOne`.
    private(set) var once = false
    /// Whether the session goes on after the end of the input.
    var keepOpen = false
    /// From the end of the input to the close.
    var linger = Duration.zero
    /// How long a line may wait for an open socket, and the first socket for its opening once the input has ended.
    var sendTimeout = Duration.seconds(120)

    init(request: ConnectionRequest) { self.request = request }

    /// Makes every ending of a socket or an attempt the last one.
    mutating func stopAfterOne() {
        once = true
        let stop = RetryRules.Rule(.hold)
        var rules = RetryRules()
        (rules.closeCodes, rules.statuses) = ([:], [:])
        (rules.privateCloseCodes, rules.otherStatuses) = (stop, stop)
        (rules.protocolViolations, rules.probeUnanswered, rules.otherwise) = (stop, stop, stop)
        configuration.retryRules = rules
    }
}
