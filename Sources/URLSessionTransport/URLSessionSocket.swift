import ConnectionCore
import Foundation
import SteadyTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One attempt and the socket that may come of it.
///
/// Calls, native callbacks and the timer all go through `mailbox`, so that they happen one after the other and a
/// callback that comes in the middle of a call waits for its end.
///
/// `@unchecked Sendable` holds because every variable is touched by work in `mailbox` alone, and by `deinit`, when
/// nobody else can.
final class URLSessionSocket: TransportSocket, @unchecked Sendable {
    /// How far the attempt has come. It only ever moves down this list.
    enum Phase: Int, Comparable {
        case opening
        case open
        /// A Close frame is to be sent or was sent, or the connection is lost and its cause is waited for.
        case closing
        /// The end has been reported; what is left is to let go of the session.
        case ended

        static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
    }

    /// How long a close code may come behind the error of a receive (POSIX 57 can overtake it).
    static let terminalGrace = Duration.seconds(1)

    let request: ConnectionRequest
    let limits: TransportLimits
    private let scheduler: Scheduler
    private let mailbox = Mailbox()

    private var report: (@Sendable (TransportFact) -> Void)?
    private var session: (any NativeSession)?
    private(set) var task: (any NativeTask)?
    var phase = Phase.opening
    var isTrustRefused = false
    /// The task's last callback has come.
    var isComplete = false

    // Messages
    /// Messages that may be reported.
    var demand = 0
    var isReceiving = false
    /// Messages `URLSession` has not taken off us yet.
    var sending: [UInt64: (byteCount: Int, completion: @Sendable (ConnectionError?) -> Void)] = [:]
    var queuedBytes = 0
    /// Pings whose handler has not been called yet.
    var unanswered: Set<UInt64> = []
    private var lastNumber: UInt64 = 0

    // Closing
    /// What our Close frame says.
    var ownClose: (code: CloseCode, reason: String)?
    /// The rule the peer broke, if `ownClose` says so.
    var violation: String?
    /// When this side began to close.
    var closeBegan: Instant?
    var isCloseSent = false
    /// The first sign of a lost connection.
    var failure: NativeFailure?

    private var deadline: Instant?
    private var cancelTimer: (@Sendable () -> Void)?

    init(
        _ request: ConnectionRequest, limits: TransportLimits, scheduler: Scheduler,
        report: @escaping @Sendable (TransportFact) -> Void
    ) {
        self.request = request
        self.limits = limits
        self.scheduler = scheduler
        self.report = report
    }

    deinit {
        cancelTimer?()
        // Let go of without a word: everybody who waits must still hear.
        session?.invalidateAndCancel()
        for (_, sent) in sending { sent.completion(Self.closedError) }
        report?(.closed(TransportClose(.connectionLost, outcome: .unknown(after: .zero))))
    }

    // MARK: From any thread

    func send(_ message: Message, completion: @escaping @Sendable (ConnectionError?) -> Void) {
        mailbox.submit { self.enqueue(message, completion) }
    }

    func ping() { mailbox.submit { self.sendPing() } }

    func receive(_ count: Int) { mailbox.submit { self.allow(count) } }

    func close(code: CloseCode, reason: String) { mailbox.submit { self.beginClose(code, reason) } }

    func abandon() { mailbox.submit { self.tearDown() } }

    /// Hands in what the session, the task or the timer says.
    func tell(_ work: @escaping @Sendable (URLSessionSocket) -> Void) { mailbox.submit { work(self) } }

    // MARK: In the mailbox

    var now: Instant { scheduler.now() }

    func makeNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    func tell(_ fact: TransportFact) { report?(fact) }

    /// Takes over the session and its task.
    func attach(_ session: any NativeSession, _ task: any NativeTask) {
        self.session = session
        self.task = task
    }

    /// Moves the one deadline; nil for none.
    func setDeadline(_ instant: Instant?) {
        cancelTimer?()
        cancelTimer = nil
        deadline = instant
        guard let instant else { return }
        // A socket that closes lives until it is done, whoever lets go of it; before, its owner decides.
        let owner = phase >= .closing ? self : nil
        cancelTimer = scheduler.schedule(instant) { [weak self] in
            (owner ?? self)?.tell { $0.timeReached(instant) }
        }
    }

    /// The earlier one counts.
    func limitDeadline(_ instant: Instant) { setDeadline(deadline.map { min($0, instant) } ?? instant) }

    private func timeReached(_ instant: Instant) {
        // A timer that was taken back too late.
        guard deadline == instant else { return }
        guard now >= instant else { return setDeadline(instant) }
        setDeadline(nil)
        deadlineReached()
    }

    /// Reports the end and lets go of the session: at once if `isTornDown`, else when its task is complete, so that the
    /// Close frames get through.
    func end(_ close: TransportClose, isTornDown: Bool = false) {
        guard phase < .ended else { return }
        phase = .ended
        let waiting = sending.values
        sending = [:]
        unanswered = []
        for sent in waiting { sent.completion(Self.closedError) }
        if isTornDown {
            invalidate(cancelling: true)
        } else if isComplete {
            invalidate(cancelling: false)
        } else {
            setDeadline(now + limits.closingHandshake)
        }
        let report = report
        self.report = nil
        report?(.closed(close))
    }

    /// Lets go of the session, once.
    func invalidate(cancelling: Bool) {
        setDeadline(nil)
        guard let session else { return }
        self.session = nil
        task = nil
        if cancelling { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
    }

    static let closedError = ConnectionError(.closed, "the socket closed before the message was sent")
}
