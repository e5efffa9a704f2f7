#if os(Linux)
import CEpoll
import ConnectionCore
import SteadyTransport
import Synchronization
import WebSocketWire

/// One attempt and the socket that may come of it.
///
/// The methods other threads call pass the work on to the loop's thread; everything else happens there.
// `gate` has its own lock, the `let`s are Sendable, and all other properties are touched by the loop's thread alone.
final class CurlSocket: TransportSocket, @unchecked Sendable {
    /// How far the attempt has come. It only ever moves down this list.
    enum Phase: Int, Comparable {
        /// In the queue of connections to make; nothing has been sent.
        case waiting
        /// libcurl makes the connection; nothing of the upgrade request has been sent.
        case connecting
        /// The upgrade request has been sent.
        case upgrading
        case open
        /// A Close frame has been queued or received.
        case closing
        case ended
        /// The end has been reported. Our Close frame may still be under way; what the peer sends is read and dropped.
        case lingering

        static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
    }

    /// What decides, on the caller's thread, whether a message may be queued.
    private struct Gate {
        var refusal: ConnectionError.Code? = .notOpen
        var queuedBytes = 0
    }

    let id: UInt64
    let loop: EventLoop
    let options: CurlTransport.Options
    let limits: TransportLimits
    private let gate = Mutex(Gate())

    var phase = Phase.waiting
    /// Nil once the upgrade request has been sent.
    var request: ConnectionRequest?
    private var report: (@Sendable (TransportFact) -> Void)?
    var easy: EasyHandle?
    private(set) var file: Int32 = -1
    /// What epoll watches for, nil if it does not know the socket.
    private var watched: UInt32?
    /// The deadline that counts, in nanoseconds on the loop's clock.
    private(set) var deadline = UInt64.max

    var handshake: OpeningHandshake?
    var deflate: DeflateParameters?

    // Reading
    var parser: FrameParser?
    var assembler: MessageAssembler?
    /// Messages that may be reported.
    var allowed = 0
    /// A message that arrived while none might be reported. While there is one, nothing is read.
    var held: Message?
    /// Bytes read behind `held`.
    var unparsed: [UInt8] = []
    var isReadScheduled = false

    // Writing
    var sendQueue = SendQueue()
    var isWriteScheduled = false
    var isBlocked = false
    /// How often in a row the kernel had room and yet nothing was written.
    var fruitlessWrites = 0
    var isWriteBroken = false
    var pongBytes = 0
    /// The last Ping that came while too many Pongs were waiting already.
    var unansweredPing: [UInt8]?

    // Closing
    /// Set by `close` unless the end had begun without it.
    var localClose: ClosePayload?
    var violation: Violation?
    var peerClose: ClosePayload?
    /// When this side began to close of its own accord.
    var closeBegan: UInt64?
    var isCloseQueued = false
    var isCloseWritten = false

    init(
        _ request: ConnectionRequest, options: CurlTransport.Options, limits: TransportLimits, loop: EventLoop,
        report: @escaping @Sendable (TransportFact) -> Void
    ) {
        id = loop.makeID()
        self.request = request
        self.options = options
        self.limits = limits
        self.loop = loop
        self.report = report
        deadline = loop.now.advanced(by: limits.openingHandshake)
    }

    // MARK: From any thread

    func send(_ message: Message, completion: @escaping @Sendable (ConnectionError?) -> Void) {
        let byteCount = message.byteCount
        if let error = admit(byteCount) { return completion(error) }
        loop.post { self.enqueue(message, byteCount, completion) }
    }

    func ping() { loop.post { self.sendPing() } }

    func receive(_ count: Int) { loop.post { self.allow(count) } }

    func close(code: CloseCode, reason: String) {
        gate.withLock { $0.refusal = .closed }
        loop.post { self.beginClose(ClosePayload(code: code.rawValue, reason: reason)) }
    }

    func abandon() {
        gate.withLock { $0.refusal = .closed }
        loop.post { self.tearDown() }
    }

    /// Books the bytes of a message, or says why it cannot be queued.
    private func admit(_ byteCount: Int) -> ConnectionError? {
        let refusal: ConnectionError.Code? = gate.withLock { gate in
            if let refusal = gate.refusal { return refusal }
            if byteCount > limits.maximumMessageBytes { return .messageTooBig }
            let booked = Self.booked(byteCount)
            guard gate.queuedBytes == 0 || gate.queuedBytes + booked <= limits.maximumQueuedBytes else {
                return .queueFull
            }
            gate.queuedBytes += booked
            return nil
        }
        return refusal.map { ConnectionError($0, Self.explain($0, byteCount, limits)) }
    }

    /// An empty message takes up room too.
    private static func booked(_ byteCount: Int) -> Int { byteCount + FrameHeader.maximumByteCount }

    private static func explain(_ code: ConnectionError.Code, _ byteCount: Int, _ limits: TransportLimits) -> String {
        switch code {
        case .notOpen: "the socket is not open yet"
        case .messageTooBig: "the message has \(byteCount) bytes; the limit is \(limits.maximumMessageBytes)"
        case .queueFull:
            "\(limits.maximumQueuedBytes) bytes wait to be written already; send again when some are out"
        default: "the socket is closed"
        }
    }

    // MARK: From the loop's thread

    /// Takes messages off the books of the queue.
    func settle(_ byteCount: Int, messages: Int) {
        gate.withLock { $0.queuedBytes -= byteCount + messages * Self.booked(0) }
    }

    /// Lets messages in, unless `close` has been called meanwhile.
    func openGate() {
        gate.withLock { if $0.refusal == .notOpen { $0.refusal = nil } }
    }

    func closeGate() { gate.withLock { $0.refusal = .closed } }

    func tell(_ fact: TransportFact) { report?(fact) }

    /// Reports the last fact and forgets whom to report to.
    func tellLast(_ close: TransportClose) {
        let report = report
        self.report = nil
        report?(.closed(close))
    }

    func setDeadline(_ time: UInt64) {
        deadline = time
        if time != .max { loop.arm(.socket(id), at: time) }
    }

    /// Begins to watch the connection libcurl has made.
    func attach(_ file: Int32) {
        self.file = file
        updateInterest()
    }

    func detach() {
        if watched != nil { loop.control(EPOLL_CTL_DEL, file, 0, .socket(id)) }
        watched = nil
    }

    /// Tells epoll what to watch for, if that has changed.
    func updateInterest() {
        guard file >= 0, phase < .ended else { return }
        let wanted = (wantsToRead ? EPOLLIN.rawValue : 0) | (isBlocked && !waitsForPeer ? EPOLLOUT.rawValue : 0)
        // A connection that is gone reports itself over and over; see `ready`.
        guard wanted != watched, watched != nil || wanted != 0 else { return }
        loop.control(watched == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, file, wanted, .socket(id))
        watched = wanted
    }

    /// Tells epoll to watch for what the peer sends, whatever this side wants.
    func watchForLingering() {
        loop.control(watched == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, file, EPOLLIN.rawValue, .socket(id))
        watched = EPOLLIN.rawValue
    }

    /// What epoll saw.
    func ready(_ events: UInt32) {
        if phase == .lingering { return readLingering() }
        if events & EPOLLOUT.rawValue != 0 { writable() }
        if events & ~EPOLLOUT.rawValue != 0 { peerMayHaveSpoken() }
        if wantsToRead {
            readable()
        } else if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
            // The connection is gone, but the consumer has not come to its end yet: look away until it has.
            detach()
        }
    }

    func deadlineReached() {
        deadline = .max
        switch phase {
        case .waiting, .connecting, .upgrading: openingTimedOut()
        case .open, .closing: end(timedOut: true)
        case .lingering: endLingering()
        case .ended: break
        }
    }
}

extension UInt64 {
    /// The instant `duration` later, in nanoseconds; a negative duration counts as none.
    func advanced(by duration: Duration) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(UInt64(Swift.max(0, duration.inNanoseconds)))
        return overflow ? UInt64.max : sum
    }
}
#endif
