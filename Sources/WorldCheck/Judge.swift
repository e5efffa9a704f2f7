internal import ConnectionCore

/// Holds what the connection does against its promises. It sees what the server, the system and the app see: what was told
/// to the connection, what it did, its status and its timer; nothing of the machine inside.
///
/// The numbers are those of `docs/design.md`, written down once more.
final class Judge {
    static let second = Happening.second
    static let quiet = 3 * second / 2
    static let ceiling = 6 * second
    static let debounce = second / 4
    static let grace = 10 * second
    static let openingTime = 15 * second
    static let closingTime = 2 * second
    static let pingEvery = 40 * second
    static let pongTime = 10 * second
    static let probeTime = 4 * second
    static let lateIsAsleep = 2 * second
    static let burst: Int64 = 10
    static let tokenEvery = 10 * second
    static let longestWait = 600 * second
    /// A silent peer of a process that runs is noticed after a ping interval, a pong deadline and two late wake-ups.
    static let silenceNoticed = pingEvery + pongTime + 2 * lateIsAsleep

    /// The socket that the connection has, from the start of the attempt to its end.
    struct Live {
        let attempt: AttemptID
        let channel: ChannelID
        let since: Int64
        var openedAt: Int64?
        var closingAt: Int64?
        /// Why this side closes.
        var cause: LocalCloseCause?
        var pingDueAt: Int64 = .max
        /// When an answer must be here, while one is waited for.
        var pongDueAt: Int64?
        /// Whether the ping that waits for an answer asks if the socket survived something.
        var isProbed = false
        /// The last sign of life, or what excuses its absence.
        var heardAt: Int64 = 0
        var messageCame = false

        var isOpen: Bool { openedAt != nil && closingAt == nil }
    }

    /// `Configuration.stormSafe` instead of `standard`.
    let isStormSafe: Bool

    var now: Int64 = 0
    private(set) var violation: Violation?

    // What was told.
    var foreground = true
    var path = NetworkPath.unknown
    var asked: ChannelID?
    var backgroundSince: Int64 = 0
    var foregroundSince: Int64 = -1
    var networkBackAt: Int64 = -1
    var expired = false
    var holdsTime = false
    /// Why nothing is asked for, and the code that the app wants for it.
    var leaving = LocalCloseCause.disconnected
    var wish: (code: CloseCode, at: Int64)?

    // What follows from it.
    var live: Live?
    var lastAttempt: UInt64 = 0
    var endedAt: Int64 = -1
    /// How the log must explain the end of the last attempt.
    var lastEnd: DisconnectReason?
    var openedCount = 0
    var endedCount = 0
    var starts: [Int64] = []
    /// When the budget would be full again.
    var budgetFullAt: Int64 = 0
    var refusals = 0
    var burstStart: Int64?
    var quietUntil: Int64 = 0
    /// No attempt before this; gone when something better to do comes along.
    var notBefore: Int64 = 0
    /// When something better to do came along last.
    var newsAt: Int64 = -1
    /// Failures in a row.
    var failures = 0
    /// What servers demanded, by origin: no attempt before `earliest`, and none that waits beyond `latest` for it.
    var demands: [String: (earliest: Int64, latest: Int64)] = [:]
    var probeDue = false
    var readingHeldUp = false
    var lastWait: ConnectionStatus?
    /// How often a wait fell into each tenth of what it may be, by its law.
    var draws: [String: [Int]] = [:]

    init(isStormSafe: Bool) { self.isStormSafe = isStormSafe }

    /// The first violation counts.
    func object(_ rule: Rule, _ detail: @autoclosure () -> String) {
        if violation == nil { violation = Violation(rule: rule, detail: detail(), at: now) }
    }

    func require(_ condition: Bool, _ rule: Rule, _ detail: @autoclosure () -> String) {
        if !condition { object(rule, detail()) }
    }

    /// What is overdue when the app returns comes first, whichever of the two is told first.
    var graceIsOver: Bool { (!foreground || foregroundSince == now) && now - backgroundSince >= Self.grace }

    /// The opening or a ping went unanswered for so long that this side gives up. What comes together with the deadline
    /// comes too late, whichever of the two is told first.
    func isGivenUp(_ live: Live) -> Bool {
        guard let openedAt = live.openedAt, openedAt < now || now - live.since < Self.openingTime else {
            return now - live.since >= Self.openingTime
        }
        guard let due = live.pongDueAt else { return false }
        return due <= now && now - due <= Self.lateIsAsleep
    }
}
