internal import ConnectionCore

/// Holds what the connection does against its promises. It sees what the server and the system see: what was told to the
/// connection, what it did, its status and its timer; nothing of the machine inside.
///
/// The numbers are those of `docs/design.md`, written down once more.
final class Judge {
    static let second = Happening.second
    static let quiet = 3 * second / 2
    static let ceiling = 6 * second
    static let grace = 10 * second
    static let openingTime = 15 * second
    static let closingTime = 2 * second
    static let pingEvery = 40 * second
    static let pongTime = 10 * second
    static let probeTime = 4 * second
    static let lateIsAsleep = 2 * second
    static let burst = 10
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
        var pingDueAt: Int64 = .max
        /// When an answer must be here, while one is waited for.
        var pongDueAt: Int64?
        /// The last sign of life, or what excuses its absence.
        var heardAt: Int64 = 0
        var messageCame = false
        var wasUnresponsive = false

        var isOpen: Bool { openedAt != nil && closingAt == nil }
    }

    /// Whether the backoff after the first failure is at least 1.6 s; windows begin at 0.
    let hasLadder: Bool

    var now: Int64 = 0
    private(set) var violation: Violation?

    // What was told.
    var foreground = true
    var path = NetworkPath.unknown
    var asked: ChannelID?
    var exiting = false
    var backgroundSince: Int64 = 0
    var foregroundSince: Int64 = 0
    var expired = false
    var holdsTime = false

    // What follows from it.
    var live: Live?
    var lastAttempt: UInt64 = 0
    var endedAt: Int64 = -1
    var starts: [Int64] = []
    var refusals = 0
    var burstStart: Int64?
    var quietUntil: Int64 = 0
    /// No attempt before this; gone when something better to do comes along.
    var notBefore: Int64 = 0
    /// Attempts in a row that failed before they opened.
    var failures = 0
    /// What servers demanded, by origin: no attempt before `earliest`, and none that waits beyond `latest` for it.
    var demands: [String: (earliest: Int64, latest: Int64)] = [:]
    var probeDue = false
    var readingHeldUp = false

    init(hasLadder: Bool) { self.hasLadder = hasLadder }

    /// The first violation counts.
    func object(_ rule: String, _ detail: @autoclosure () -> String) {
        if violation == nil { violation = Violation(rule: rule, detail: detail(), at: now) }
    }

    func require(_ condition: Bool, _ rule: String, _ detail: @autoclosure () -> String) {
        if !condition { object(rule, detail()) }
    }

    // MARK: what the connection is told

    func toldAsk(_ channel: ChannelID) {
        exiting = false
        if channel != asked {
            refusals = 0
            asked = channel
            notBefore = 0
            if channel == live?.channel, live?.closingAt == nil {
                burstStart = nil
                quietUntil = 0
            } else {
                beginQuiet()
            }
        } else if refusals >= 2 {
            refusals = 0
            notBefore = 0
            beginQuiet()
        }
    }

    private func beginQuiet() {
        let start = now < quietUntil ? burstStart ?? now : now
        burstStart = start
        quietUntil = min(now + Self.quiet, start + Self.ceiling)
    }

    func toldDisconnect(exiting: Bool) {
        self.exiting = exiting
        asked = nil
        refusals = 0
        notBefore = 0
        burstStart = nil
        quietUntil = 0
    }

    func toldApp(foreground isForeground: Bool) {
        guard isForeground != foreground else { return }
        foreground = isForeground
        if isForeground {
            foregroundSince = now
            refusals = 0
            notBefore = now + Self.second / 4
            probeDue = true
        } else {
            backgroundSince = now
            expired = false
        }
    }

    func toldPath(_ new: NetworkPath) {
        guard new != path else { return }
        if new != .offline, path != .unknown {
            probeDue = true
            if path == .offline {
                notBefore = 0
                failures = 0
            }
        }
        path = new
    }

    func toldOpened(_ attempt: AttemptID) {
        guard live?.attempt == attempt, live?.closingAt == nil else { return }
        live?.openedAt = now
        live?.heardAt = now
        live?.pingDueAt = now + Self.pingEvery
        failures = 0
        readingHeldUp = true
    }

    /// While the app does not read, an answer cannot be seen; silence is not death then.
    func readingIs(heldUp: Bool, _ attempt: AttemptID) {
        guard live?.attempt == attempt, heldUp != readingHeldUp else { return }
        readingHeldUp = heldUp
        live?.heardAt = now
        live?.pongDueAt = nil
    }

    /// Called when the connection has dealt with the frame: what is overdue when it comes is dealt with before.
    func toldFrame(_ attempt: AttemptID, message: Bool) {
        guard live?.attempt == attempt else { return }
        live?.heardAt = now
        live?.pongDueAt = nil
        if message { live?.messageCame = true }
    }

    func toldEnded(_ attempt: AttemptID, _ reason: DisconnectReason, retryAfter: Duration?) {
        guard let gone = live, gone.attempt == attempt else { return }
        over(gone)
        // What comes after our Close frame is no news, nor what comes when it was overdue.
        guard gone.closingAt == nil, !isGivenUp(gone), !graceIsOver else { return }
        remember(reason, retryAfter: retryAfter, of: gone)
    }

    func over(_ gone: Live) {
        live = nil
        endedAt = now
        // A socket that opened and then fell silent was no refusal.
        if gone.wasUnresponsive, let opened = gone.openedAt, opened != gone.closingAt { refusals = 0 }
    }

    private func remember(_ reason: DisconnectReason, retryAfter: Duration?, of gone: Live) {
        let openFor = gone.openedAt.map { now - $0 }
        if openFor == nil { failures += 1 }
        let refusal =
            reason == .openingRefused(status: 401) || reason == .openingRefused(status: 403)
            || reason == .closedByPeer(.policyViolation)
        // A refusal of a channel that is not asked for any more says nothing about the one that is.
        if gone.channel == asked {
            if refusal {
                refusals = openFor ?? 0 >= 30 * Self.second ? 1 : refusals + 1
            } else if openFor != nil {
                refusals = 0
            }
        }
        let told = min(retryAfter?.inNanoseconds ?? 0, 300 * Self.second)
        switch reason {
        case .openingRefused where !refusal && told > 0:
            demands[gone.channel.origin] = (now + told + 1, now + 2 * told)
        case .closedByPeer(.goingAway), .closedByPeer(.serviceRestart):
            demands[gone.channel.origin] = (now + 5 * Self.second, now + 30 * Self.second)
        case .closedByPeer, .openingRefused, .connectionLost, .openingTimedOut, .openingFailed, .keepaliveTimedOut,
            .probeUnanswered, .protocolViolation, .requestUnavailable, .closedLocally:
            if gone.channel == asked { notBefore = now + shortestBackoff() }
        }
    }

    private func shortestBackoff() -> Int64 {
        let ladder: [Int64] = [2, 4, 8, 16, 32, 60]
        return hasLadder ? ladder[min(max(failures, 1), ladder.count) - 1] * Self.second * 8 / 10 : 0
    }
}
