package import ConnectionCore

/// The rules of the connection once more, in the plainest form: facts kept as flags, and after every event a verdict
/// of what must be done. It shares the vocabulary with the machine but none of its rules, numbers or structure.
///
/// Random waits it does not predict, unless it is told that every draw is an end of its range. It knows the window a
/// wait is drawn from, takes the machine's word for the draw if it lies inside, and holds the machine to it from then on.
package struct ReferenceModel: Hashable, Sendable {
    let numbers: Numbers
    let everyDraw: EndGenerator?

    // The world.
    var inForeground: Bool
    var path: NetworkPath
    var wanted: ChannelID?

    // Why not yet.
    /// The burst of asks: when it began and when it counts as settled.
    var burst: Burst?
    /// The newest wait that concerns the wanted channel.
    var pause: Pause?
    /// What servers demanded, by origin.
    var demands: [String: Pause] = [:]
    /// The connect budget, in nanoseconds: an attempt costs `tokenEvery`, a nanosecond brings one back.
    var tokens: Int64
    var tokensAt: Int64 = 0
    /// The refusal that ended the trying.
    var stopped: DisconnectReason?

    // What happened so far.
    var failures = 0
    var refusals = 0
    var tellRefused = false
    var attempts: UInt64 = 0

    var socket: Socket?
    var holdsBackgroundTime = false

    struct Burst: Hashable, Sendable {
        var began: Int64
        var settles: Int64
    }

    /// No attempt before a moment somewhere between `earliest` and `latest`.
    struct Pause: Hashable, Sendable {
        var earliest: Int64
        var latest: Int64
        var reason: WaitReason

        /// What is left of the window if every draw is this end of it.
        func drawn(_ end: EndGenerator?) -> Pause {
            switch end {
            case nil: self
            case .shortest: Pause(earliest: earliest, latest: earliest, reason: reason)
            case .longest: Pause(earliest: latest, latest: latest, reason: reason)
            }
        }
    }

    struct Socket: Hashable, Sendable {
        var attempt: UInt64
        var channel: ChannelID
        var mustOpenBy: Int64
        var openSince: Int64?
        var gotMessage = false
        var paused = false
        var question: Question?
        var nextPing: Int64?
        var graceEnds: Int64?
        var closing: Closing?
    }

    /// A ping without an answer.
    struct Question: Hashable, Sendable {
        var isProbe: Bool
        var answerBy: Int64
    }

    struct Closing: Hashable, Sendable {
        var cause: LocalCloseCause
        var by: Int64
        /// Given up for this reason, having been open this long.
        var failure: DisconnectReason?
        var openFor: Int64?
    }

    package init(_ numbers: Numbers, app: AppState, network: NetworkPath, everyDraw: EndGenerator? = nil) {
        self.numbers = numbers
        self.everyDraw = everyDraw
        inForeground = app == .foreground
        path = network
        tokens = numbers.burst * numbers.tokenEvery
    }

    /// Takes in an event together with what the machine made of it.
    package mutating func step(
        _ event: ConnectionEvent, at now: Int64, actions: Actions, status: ConnectionStatus, deadline: Int64?
    ) throws(Violation) {
        var must = Actions()
        settleOverdue(at: now, &must)
        take(event, at: now, &must)
        replaceSocket(at: now, &must)
        let expected = socket == nil ? try pursue(at: now, &must, actions, status) : expectedStatus()
        if holdsBackgroundTime, socket == nil || inForeground {
            holdsBackgroundTime = false
            must.backgroundTime = .end
        }
        must.statusChanged = actions.statusChanged
        guard actions == must else { throw Violation("model", "did \(actions), expected \(must)") }
        guard status == expected else { throw Violation("model", "is \(status), expected \(expected)") }
        let wake = expectedDeadline(status)
        guard deadline == wake else {
            throw Violation("model", "wakes at \(Self.text(deadline)), expected \(Self.text(wake)), while \(status)")
        }
    }

    private static func text(_ deadline: Int64?) -> String { deadline.map { "\($0) ns" } ?? "never" }

    private func expectedStatus() -> ConnectionStatus {
        guard let socket else { return .idle }
        let attempt = AttemptID(socket.attempt)
        if let closing = socket.closing { return .closing(attempt, closing.cause) }
        return socket.openSince == nil ? .opening(attempt) : .open(attempt)
    }

    private func expectedDeadline(_ status: ConnectionStatus) -> Int64? {
        guard let socket else {
            // Checked with the status already.
            if case .waiting(_, _, let until) = status { return until.nanoseconds }
            return nil
        }
        if let closing = socket.closing { return closing.by }
        let pending = [
            burst?.settles, socket.openSince == nil ? socket.mustOpenBy : nil, socket.nextPing,
            socket.question?.answerBy, socket.graceEnds,
        ]
        return pending.compactMap { $0 }.min()
    }

    // MARK: Sockets

    /// Whatever was due by now happened first.
    private mutating func settleOverdue(at now: Int64, _ must: inout Actions) {
        if let burst, burst.settles <= now { self.burst = nil }
        guard let socket else { return }
        if let closing = socket.closing {
            guard closing.by <= now else { return }
            must.abandon = AttemptID(socket.attempt)
            self.socket = nil
            if let failure = closing.failure {
                failed(socket, because: failure, retryAfter: nil, openFor: closing.openFor, at: now)
            }
        } else if let ends = socket.graceEnds, ends <= now {
            close(because: .stayedInBackground, at: now, &must)
        } else if let since = socket.openSince {
            settlePings(socket, openSince: since, at: now, &must)
        } else if socket.mustOpenBy <= now {
            close(because: .unresponsive, failure: .openingTimedOut, at: now, &must)
        }
    }

    private mutating func settlePings(_ before: Socket, openSince: Int64, at now: Int64, _ must: inout Actions) {
        let pingDue = before.nextPing.map { $0 <= now } ?? false
        let answerDue = before.question.map { $0.answerBy <= now } ?? false
        let latest = now - numbers.suspended
        let slept =
            (before.nextPing.map { $0 < latest } ?? false) || (before.question.map { $0.answerBy < latest } ?? false)
        if answerDue, !slept, let question = before.question {
            let failure: DisconnectReason = question.isProbe ? .probeUnanswered : .keepaliveTimedOut
            return close(because: .unresponsive, failure: failure, at: now, &must)
        }
        if pingDue { socket?.nextPing = now + numbers.pingEvery }
        guard pingDue || slept else { return }
        must.ping = AttemptID(before.attempt)
        guard !before.paused else { return }
        if slept {
            // A process that slept has heard nothing: the peer gets the whole time again.
            socket?.question = Question(isProbe: true, answerBy: now + numbers.probe)
        } else {
            socket?.question = before.question ?? Question(isProbe: false, answerBy: now + numbers.pong)
        }
    }

    mutating func close(
        because cause: LocalCloseCause, failure: DisconnectReason? = nil, at now: Int64, _ must: inout Actions
    ) {
        guard var ending = socket, ending.closing == nil else { return }
        ending.closing = Closing(
            cause: cause, by: now + numbers.closing, failure: failure, openFor: ending.openSince.map { now - $0 })
        socket = ending
        must.close = Actions.Close(attempt: AttemptID(ending.attempt), cause: cause)
        must.ping = nil
    }

    mutating func probe(at now: Int64, _ must: inout Actions) {
        guard let open = socket, open.openSince != nil, open.closing == nil, !open.paused else { return }
        if let question = open.question, question.isProbe { return }
        must.ping = AttemptID(open.attempt)
        let by = min(open.question?.answerBy ?? .max, now + numbers.probe)
        socket?.question = Question(isProbe: true, answerBy: by)
    }

    /// Another channel is wanted, the asks have settled and nothing forbids an attempt: the socket makes room.
    private mutating func replaceSocket(at now: Int64, _ must: inout Actions) {
        guard let live = socket, live.closing == nil, burst == nil, let wanted, wanted != live.channel else { return }
        guard inForeground, path != .offline || !wanted.needsNetwork else { return }
        pause = Pause(earliest: now, latest: now, reason: .replacement)
        close(because: .replaced, at: now, &must)
    }
}
