#if os(Linux)
import ConnectionCore
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
        case .closing, .ended: break
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
        payload.encode().withUnsafeBytes { sendQueue.append(.close, $0) }
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
                error: error))
    }

    private func closeOutcome(since began: UInt64, timedOut: Bool, tornDown: Bool) -> CloseOutcome {
        if isCloseWritten && peerClose != nil { return .acknowledged }
        if isCloseWritten && !timedOut && !tornDown { return .flushed }
        return .unknown(after: timedOut ? limits.closingHandshake : .nanoseconds(Int64(loop.now - began)))
    }

    /// The end, whatever led to it: frees everything and reports it.
    func finish(_ close: TransportClose) {
        guard phase < .ended else { return }
        if phase == .connecting { loop.connectEnded() }
        detach()
        phase = .ended
        loop.remove(self)
        easy = nil
        request = nil
        handshake = nil
        parser = nil
        assembler = nil
        held = nil
        unparsed = []
        giveUpMessages()
        tellLast(close)
    }
}
#endif
