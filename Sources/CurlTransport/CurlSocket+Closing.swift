#if os(Linux)
import ConnectionCore
import Glibc
import SteadyTransport
import WebSocketWire

/// From the first sign of the end to `.closed`.
extension CurlSocket {
    /// How long to wait for the peer's FIN once both Close frames are through. The server ends the connection (RFC 6455
    /// section 7.1.1); if we did it with bytes unread, the reset could overtake our Close frame.
    private static let linger = Duration.seconds(1)

    /// `close` was called.
    func beginClose(_ payload: ClosePayload) {
        // The first cause counts.
        guard localClose == nil, violation == nil, peerClose == nil, phase < .ended else { return }
        localClose = payload
        let now = loop.now
        closeBegan = now
        switch phase {
        case .waiting, .connecting: end(timedOut: false)
        case .upgrading: setDeadline(min(deadline, now.advanced(by: limits.closingHandshake)))
        case .open: queueClose()
        case .closing, .ended, .lingering: break
        }
    }

    /// The peer broke a rule.
    func fail(_ violation: Violation) {
        self.violation = violation
        // A peer that breaks rules while we close changes nothing; only its FIN matters now.
        guard phase == .open else { return }
        closeBegan = loop.now
        queueClose()
    }

    /// The peer's Close frame.
    func peerClosed(_ payload: ClosePayload) {
        peerClose = payload
        if phase == .open {
            queueClose()
        } else {
            lingerIfClosed()
        }
    }

    /// Queues our Close frame: what this side decided, else the code the peer sent, as it sent it.
    func queueClose() {
        let payload =
            localClose ?? violation.map { ClosePayload(code: $0.code.rawValue, reason: $0.message) }
            ?? ClosePayload(code: peerClose?.code)
        phase = .closing
        closeGate()
        isCloseQueued = true
        payload.encode().withUnsafeBytes { sendQueue.append(.close, $0, mask: loop.masks.next()) }
        setDeadline((closeBegan ?? loop.now).advanced(by: limits.closingHandshake))
        scheduleWrite()
        if held != nil {
            held = nil
            scheduleRead()
        }
    }

    /// Once both Close frames are through, the server has a short time to end the connection.
    func lingerIfClosed() {
        guard isCloseWritten, peerClose != nil else { return }
        setDeadline(min(deadline, loop.now.advanced(by: Self.linger)))
    }

    /// `abandon` was called.
    func tearDown() {
        guard phase < .ended else { return }
        // The Close frame may have been queued in this very turn.
        if isCloseQueued, !isCloseWritten { write() }
        guard phase < .ended else { return }
        if closeBegan == nil && peerClose == nil { closeBegan = loop.now }
        end(timedOut: false, tornDown: true)
    }

    /// The end of a socket that was closing, or of one this side gave up.
    func end(timedOut: Bool, tornDown: Bool = false) {
        let outcome = closeBegan.map { closeOutcome(since: $0, timedOut: timedOut, tornDown: tornDown) }
        let code = peerClose.map { CloseCode(rawValue: $0.code ?? CloseCode.noStatusReceived.rawValue) }
        let reason: DisconnectReason
        var error: ConnectionError?
        if localClose == nil, let violation {
            reason = .protocolViolation(violation.code)
            error = ConnectionError(.protocolViolation, "the server broke the protocol: \(violation.message)")
        } else if let code {
            reason = .closedByPeer(code)
        } else {
            reason = .connectionLost
        }
        finish(
            TransportClose(
                reason, closeCode: code ?? .abnormalClosure, closeReason: peerClose?.reason ?? "", outcome: outcome,
                error: error),
            lingers: isCloseWritten && peerClose == nil && (timedOut || tornDown))
    }

    private func closeOutcome(since began: UInt64, timedOut: Bool, tornDown: Bool) -> CloseOutcome {
        if isCloseWritten && peerClose != nil { return .acknowledged }
        if isCloseWritten && !timedOut && !tornDown { return .flushed }
        return .unknown(after: timedOut ? limits.closingHandshake : .nanoseconds(Int64(loop.now - began)))
    }

    /// The end, whatever led to it: reports it and frees everything, unless the connection is to linger.
    func finish(_ close: TransportClose, lingers: Bool = false) {
        guard phase < .ended else { return }
        if phase == .connecting { loop.connectEnded() }
        phase = .ended
        if !lingers || !beginLingering() { release() }
        request = nil
        handshake = nil
        parser = nil
        assembler = nil
        held = nil
        unparsed = []
        giveUpMessages()
        tellLast(close)
    }

    private func release() {
        detach()
        loop.remove(self)
        easy = nil
    }
}

/// After the end of a socket whose Close frame got no answer. The network may be gone for a while and bring the frame to
/// the server later. Closing the file now would have the kernel answer whatever the server sends with a reset, which can
/// make the server drop the frame unread and see 1006.
extension CurlSocket {
    /// How long the Close frame is given to arrive, measured from the end that was reported.
    private static let afterlife = Duration.seconds(30)

    /// False if the loop holds enough of these already.
    private func beginLingering() -> Bool {
        guard loop.beginLingering() else { return false }
        phase = .lingering
        shutdown(file, Int32(SHUT_WR))
        watchForLingering()
        setDeadline(loop.now.advanced(by: Self.afterlife))
        return true
    }

    /// Not through libcurl: nobody needs to know what it means.
    func readLingering() {
        while phase == .lingering {
            let count = recv(file, loop.readBuffer.baseAddress, loop.readBuffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { continue }
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            endLingering()
        }
    }

    func endLingering() {
        phase = .ended
        loop.endLingering()
        release()
    }
}
#endif
