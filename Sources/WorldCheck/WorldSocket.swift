internal import ConnectionCore
internal import SteadySocketTestKit
internal import SteadyTransport

/// One attempt with the way to the server and back, and the server's end of it.
///
/// `@unchecked Sendable` holds because it is used on the queue of its world alone.
final class WorldSocket: TransportSocket, @unchecked Sendable {
    private enum Phase {
        case opening
        /// The server has the request.
        case asked
        case open
        case over
    }

    unowned let world: World
    let attempt: AttemptID
    let channel: ChannelID
    private let report: @Sendable (TransportFact) -> Void
    private var phase = Phase.opening
    /// No packet arrives any more.
    private(set) var isMute = false
    /// What this side sends does not arrive any more.
    private(set) var isDeaf = false
    private var isAccepted = false
    private(set) var isClosing = false
    /// How many messages may still be reported.
    private(set) var allowed = 0
    private var said = 0
    /// Frames that lie unread behind a message nobody allowed.
    private var held: [TransportFact] = []
    private var draws: SeededGenerator
    private let roundTrip: Int64

    init(
        world: World, attempt: AttemptID, channel: ChannelID, report: @escaping @Sendable (TransportFact) -> Void
    ) {
        self.world = world
        self.attempt = attempt
        self.channel = channel
        self.report = report
        draws = world.dice.sequence(.answer, attempt.number)
        var law = world.dice.sequence(.roundTrip, attempt.number)
        // Round numbers, so that answers and deadlines fall on the same instants; some flights are lost and sent again.
        roundTrip =
            world.good ? 100_000_000 : law.happens(percent: 8) ? 3_000_000_000 : Int64(1 + law.below(4)) * 250_000_000
    }

    var isOver: Bool { phase == .over }
    var isCutOff: Bool { isMute || isDeaf }

    func begin() {
        let offline = world.route == .offline && channel.needsNetwork
        if offline, draws.happens(percent: 50) {
            return fromServer(after: 0) { self.ends(TransportClose(.openingFailed(.connect))) }
        }
        // The transport's own deadline comes at the instant of the machine's, or never.
        if draws.happens(percent: 50) {
            world.plan(after: Judge.openingTime, .timers) {
                if self.phase == .opening || self.phase == .asked, !self.isClosing {
                    self.ends(TransportClose(.openingTimedOut))
                }
            }
        }
        if offline { return }
        toServer(after: roundTrip) { self.arrives() }
    }

    // MARK: the server's end

    private func arrives() {
        guard phase == .opening else { return }
        phase = .asked
        switch world.server {
        case .silent: return
        case .down: return fromServer(after: roundTrip / 2) { self.ends(TransportClose(.openingFailed(.connect))) }
        case .refuses(let status, let retryAfter):
            return fromServer(after: roundTrip / 2) {
                self.ends(
                    TransportClose(
                        .openingRefused(status: status), retryAfter: retryAfter > 0 ? .seconds(retryAfter) : nil))
            }
        case .up:
            accept()
            if draws.happens(percent: 30) { say() }
        case .crashes(let code, let after):
            accept()
            say()
            world.plan(after: after, .timers, needsProcess: false) {
                if !self.world.good { self.serverCloses(code) }
            }
        }
    }

    private func accept() {
        isAccepted = true
        fromServer(after: roundTrip / 2) {
            guard self.phase == .asked else { return }
            self.phase = .open
            self.deliver(.opened(OpeningResult()))
        }
    }

    /// The server sends a message.
    func say() {
        said += 1
        let text = "\(attempt.number).\(said)"
        fromServer(after: roundTrip / 2) { self.frame(.message(.text(text))) }
    }

    func serverPings() { fromServer(after: roundTrip / 2) { self.frame(.pingReceived) } }

    func serverCloses(_ code: UInt16) {
        guard phase != .over, !isMute else { return }
        let code = CloseCode(rawValue: code)
        fromServer(after: roundTrip / 2) {
            self.frame(.closed(TransportClose(.closedByPeer(code), closeCode: code)))
        }
    }

    func breaks() { fromServer(after: 0) { self.ends(TransportClose(.connectionLost)) } }

    func mute() { isMute = true }

    func deafen() { isDeaf = true }

    // MARK: the way back

    private func toServer(after delay: Int64, _ happens: @escaping () -> Void) {
        world.plan(after: delay, .toServer(attempt.number), needsProcess: false) {
            if !self.isMute, !self.isDeaf { happens() }
        }
    }

    private func fromServer(after delay: Int64, _ happens: @escaping () -> Void) {
        world.plan(after: delay, .fromServer(attempt.number)) {
            if !self.isMute { happens() }
        }
    }

    /// A frame of the open socket; behind a message that nobody allowed everything waits.
    private func frame(_ fact: TransportFact) {
        guard phase == .open else { return }
        held.append(fact)
        drain()
    }

    private func drain() {
        while phase == .open, let next = held.first {
            if case .message = next {
                guard allowed > 0 else { return }
                allowed -= 1
            }
            held.removeFirst()
            if case .closed(let close) = next { ends(close) } else { deliver(next) }
        }
    }

    private func ends(_ close: TransportClose) {
        guard phase != .over else { return }
        phase = .over
        var close = close
        if isClosing, close.outcome == nil {
            close.outcome = close.closeCode == .abnormalClosure ? .flushed : .acknowledged
        }
        deliver(.closed(close))
        afterlife()
    }

    /// Things that a transport must not do, or that were on their way: nothing may come of them.
    private func afterlife() {
        guard draws.happens(percent: 10) else { return }
        world.plan(after: Int64(draws.below(8)) * Happening.second / 4, .timers) {
            self.lateFact(.closed)
        }
    }

    private func deliver(_ fact: TransportFact) {
        world.tell("\(attempt.number) \(Self.name(fact))", isNews: isNews(fact)) {
            switch fact {
            case .opened: world.judge.toldOpened(attempt)
            case .message(.text(let text)):
                if world.judge.live?.attempt == attempt, world.judge.live?.isOpen == true { world.unread.append(text) }
            case .message(.binary), .pingReceived, .pongReceived: break
            case .closed(let close): world.judge.toldEnded(attempt, close.reason, retryAfter: close.retryAfter)
            }
            report(fact)
            switch fact {
            case .message: world.judge.toldFrame(attempt, message: true)
            case .pingReceived, .pongReceived: world.judge.toldFrame(attempt, message: false)
            case .opened, .closed: break
            }
        }
        if case .opened = fact, world.judge.live?.isOpen == true { world.noMessageWaits() }
    }

    /// A socket that closes has no messages and no opening any more.
    private func isNews(_ fact: TransportFact) -> Bool {
        switch fact {
        case .opened, .message: !isClosing
        case .pingReceived, .pongReceived, .closed: true
        }
    }

    private static func name(_ fact: TransportFact) -> String {
        switch fact {
        case .opened: "opened"
        case .message: "message"
        case .pingReceived: "ping"
        case .pongReceived: "pong"
        case .closed(let close): "ended: \(close)"
        }
    }

    /// A fact of this attempt, which is over: the connection must do as if nothing had come.
    func lateFact(_ fact: Happening.LateFact) {
        guard judgedOver else { return }
        let before = world.snapshot
        world.note("→ \(attempt.number) \(fact.rawValue), too late")
        switch fact {
        case .opened: report(.opened(OpeningResult()))
        case .message: report(.message(.text("late")))
        case .pong: report(.pongReceived)
        case .closed: report(.closed(TransportClose(.closedByPeer(.serviceRestart), closeCode: .serviceRestart)))
        case .refused:
            report(.closed(TransportClose(.openingRefused(status: 503), retryAfter: .seconds(60))))
        }
        world.judge.require(
            world.snapshot == before, .dead, "\(fact.rawValue) of \(attempt.number)")
    }

    private var judgedOver: Bool { world.judge.live?.attempt != attempt }

    /// The world is over; the connection lets go of a socket that has ended.
    func cut() {
        guard phase != .over else { return }
        phase = .over
        report(.closed(TransportClose(.connectionLost)))
    }

    // MARK: TransportSocket

    func send(_ message: Message, completion: @escaping @Sendable (ConnectionError?) -> Void) {
        world.handedOver(message, on: self)
        completion(isOver ? ConnectionError(.closed, "the socket is over") : nil)
    }

    func ping() {
        world.note("← ping \(attempt.number)")
        world.judge.pings(attempt)
        guard !isMute else { return }
        toServer(after: roundTrip / 2) {
            self.fromServer(after: self.roundTrip / 2) { self.frame(.pongReceived) }
            if self.draws.happens(percent: 10) { self.fromServer(after: 0) { self.frame(.pongReceived) } }
        }
    }

    func receive(_ count: Int) {
        allowed += count
        guard !held.isEmpty else { return }
        fromServer(after: 0) { self.drain() }
    }

    func close(code: CloseCode, reason: String) {
        world.note("← close \(attempt.number) with \(code.rawValue)")
        world.judge.closes(attempt, code, reason)
        guard phase != .over, !isClosing else { return }
        isClosing = true
        if phase == .opening {
            // Nothing was sent yet.
            if draws.happens(percent: 50) {
                ends(TransportClose(.connectionLost))
            } else {
                fromServer(after: 0) { self.ends(TransportClose(.connectionLost)) }
            }
            return
        }
        // The transport gives up at the instant the machine does, or never.
        if draws.happens(percent: 50) {
            world.plan(after: Judge.closingTime, .timers) {
                if !self.judgedOver { self.ends(TransportClose(.connectionLost)) }
            }
        }
        toServer(after: roundTrip / 2) {
            guard self.isAccepted else { return }
            self.world.closesSeen.append(code.rawValue)
            self.fromServer(after: self.roundTrip / 2) {
                self.ends(TransportClose(.closedByPeer(code), closeCode: code))
            }
        }
    }

    func abandon() {
        world.note("← abandon \(attempt.number)")
        world.judge.abandons(attempt)
        phase = .over
        afterlife()
    }
}
