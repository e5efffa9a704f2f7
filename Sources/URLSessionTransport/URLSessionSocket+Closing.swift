import ConnectionCore
import Foundation
import SteadyTransport

/// From the first sign of the end to `.closed`.
extension URLSessionSocket {
    /// `close` was called.
    func beginClose(_ code: CloseCode, _ reason: String) {
        // The first cause counts: a connection that is lost already has one.
        guard phase < .closing, ownClose == nil else { return }
        ownClose = (code.mayBeSent ? code : .normalClosure, reason)
        let now = now
        closeBegan = now
        switch phase {
        // Cancelling a task that has not opened breaks the connection off; a Close frame needs an open one.
        case .opening: limitDeadline(now + limits.closingHandshake)
        case .open: startClosing()
        case .closing, .ended: break
        }
    }

    /// The peer broke a rule.
    func fail(_ code: CloseCode, _ message: String) {
        guard phase == .open else { return }
        ownClose = (code, message)
        violation = message
        closeBegan = now
        startClosing()
    }

    func failTooBig() { fail(.messageTooBig, "message larger than \(limits.maximumMessageBytes) bytes") }

    /// The socket is open and `ownClose` is to go out: behind what `URLSession` has still to write, for `cancel(with:)`
    /// is not known to wait for it. On a connection that does not move, that may take half of the time at most.
    func startClosing() {
        phase = .closing
        let began = closeBegan ?? now
        setDeadline(began + limits.closingHandshake / (sending.isEmpty ? 1 : 2))
        sendCloseIfDue()
        pump()
    }

    /// Sends the Close frame if nothing goes before it, or `isOverdue`.
    func sendCloseIfDue(isOverdue: Bool = false) {
        guard phase == .closing, let ownClose, !isCloseSent, failure == nil, sending.isEmpty || isOverdue else {
            return
        }
        isCloseSent = true
        setDeadline((closeBegan ?? now) + limits.closingHandshake)
        task?.cancel(with: Int(ownClose.code.rawValue), reason: Self.payload(ownClose.reason))
    }

    /// At most 123 bytes (RFC 6455 section 5.5), cut between characters.
    private static func payload(_ reason: String) -> Data? {
        var reason = reason
        while reason.utf8.count > 123 { reason.removeLast() }
        return reason.isEmpty ? nil : Data(reason.utf8)
    }

    /// A receive or a send failed. The code of a Close frame may come behind it, so the cause waits a little.
    func connectionFailed(_ error: any Error) {
        guard phase < .ended, failure == nil else { return }
        let failure = NativeFailure(error)
        if phase == .open && failure.isMessageTooBig { return failTooBig() }
        self.failure = failure
        if phase == .open {
            phase = .closing
            if endByPeer() { return }
        }
        limitDeadline(now + Self.terminalGrace)
    }

    /// Ends with the Close frame the task has seen. Not for a close this side asked for: the number could be our own.
    private func endByPeer() -> Bool {
        guard ownClose == nil, let task, task.closeCode != 0, let code = CloseCode(reported: task.closeCode) else {
            return false
        }
        end(Self.closedByPeer(code, task.closeReason))
        return true
    }

    /// `didCloseWith`.
    func nativeClosed(_ number: Int, _ reason: Data?) {
        // A frame whose code was lost on the way to the delegate may still have it in the task.
        let number = number == 0 && ownClose == nil ? task?.closeCode ?? 0 : number
        let code = CloseCode(reported: number)
        switch phase {
        case .opening: openingEnded(nil)
        case .open:
            end(code.map { Self.closedByPeer($0, reason) } ?? connectionLost())
        case .closing: finishClosing(code.map { ($0, reason) })
        case .ended: break
        }
    }

    /// `didCompleteWithError`: the last the task says. It can come without the receive and without `didCloseWith`.
    func nativeCompleted(_ error: (any Error)?) {
        isComplete = true
        switch phase {
        case .opening: openingEnded(error)
        case .open:
            let failure = NativeFailure(error)
            self.failure = failure
            if failure.isMessageTooBig {
                ownClose = (.messageTooBig, "")
                violation = "message larger than \(limits.maximumMessageBytes) bytes"
                closeBegan = now
                return finishClosing()
            }
            if !endByPeer() { end(connectionLost()) }
        case .closing:
            if failure == nil, error != nil { failure = NativeFailure(error) }
            if !endByPeer() { finishClosing() }
        case .ended: invalidate(cancelling: false)
        }
    }

    func deadlineReached() {
        switch phase {
        case .opening: openingTimedOut()
        case .open: break
        case .closing:
            if failure != nil {
                // The grace is over and no code has come.
                finishClosing()
            } else if isCloseSent {
                finishClosing(isTimedOut: true)
            } else {
                sendCloseIfDue(isOverdue: true)
            }
        case .ended: invalidate(cancelling: true)
        }
    }

    /// `abandon` was called.
    func tearDown() {
        guard phase < .ended else { return }
        closeBegan = closeBegan ?? now
        finishClosing(isTornDown: true)
    }

    /// The end of a socket that was closing, or of one this side gave up. `peer` is the Close frame, if one came.
    func finishClosing(
        _ peer: (code: CloseCode, reason: Data?)? = nil, isTimedOut: Bool = false, isTornDown: Bool = false
    ) {
        var close = peer.map { Self.closedByPeer($0.code, $0.reason) } ?? connectionLost()
        if let violation, let ownClose {
            close.reason = .protocolViolation(ownClose.code)
            close.error = ConnectionError(.protocolViolation, "the server broke the protocol: \(violation)")
        }
        if let began = closeBegan {
            close.outcome =
                if isCloseSent && peer != nil {
                    .acknowledged
                } else if isCloseSent && !isTimedOut && !isTornDown {
                    .flushed
                } else {
                    .unknown(after: isTimedOut ? limits.closingHandshake : now - began)
                }
        }
        end(close, isTornDown: isTimedOut || isTornDown)
    }

    private static func closedByPeer(_ code: CloseCode, _ reason: Data?) -> TransportClose {
        TransportClose(
            .closedByPeer(code), closeCode: code, closeReason: reason.map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    /// What an open socket ends with when no Close frame has come. That we closed it is explanation enough.
    private func connectionLost() -> TransportClose {
        guard closeBegan == nil else { return TransportClose(.connectionLost) }
        let words = failure?.error.underlying
        return TransportClose(
            .connectionLost, error: ConnectionError(.connectionLost, NativeFailure.lost, underlying: words))
    }
}
