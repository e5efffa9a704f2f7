import ConnectionCore
import Foundation
import SteadyTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Messages and Pings, both ways.
extension URLSessionSocket {
    /// What a frame takes up beside its payload, so that an empty message takes up room too.
    private static let overhead = 14

    func enqueue(_ message: Message, _ completion: @escaping @Sendable (ConnectionError?) -> Void) {
        let byteCount = message.byteCount
        if let error = refusal(byteCount) { return completion(error) }
        let number = makeNumber()
        queuedBytes += byteCount + Self.overhead
        sending[number] = (byteCount, completion)
        let native: URLSessionWebSocketTask.Message =
            switch message {
            case .text(let text): .string(text)
            case .binary(let data): .data(data)
            }
        task?.send(native) { [weak self] error in
            self?.tell { $0.sent(number, error) }
        }
    }

    private func refusal(_ byteCount: Int) -> ConnectionError? {
        if ownClose != nil { return Self.closedError }
        switch phase {
        case .opening: return ConnectionError(.notOpen, "the socket is not open yet")
        case .closing, .ended: return Self.closedError
        case .open: break
        }
        if byteCount > limits.maximumMessageBytes {
            return ConnectionError(
                .messageTooBig, "the message has \(byteCount) bytes; the limit is \(limits.maximumMessageBytes)")
        }
        guard queuedBytes == 0 || queuedBytes + byteCount + Self.overhead <= limits.maximumQueuedBytes else {
            return ConnectionError(
                .queueFull,
                "\(limits.maximumQueuedBytes) bytes wait to be written already; send again when some are out")
        }
        return nil
    }

    private func sent(_ number: UInt64, _ error: (any Error)?) {
        // The handler's second call, or the socket has ended.
        guard let sent = sending.removeValue(forKey: number) else { return }
        queuedBytes -= sent.byteCount + Self.overhead
        sent.completion(error == nil ? nil : Self.closedError)
        if let error { connectionFailed(error) }
        if sending.isEmpty { sendCloseIfDue() }
    }

    func sendPing() {
        guard phase == .open else { return }
        let number = makeNumber()
        unanswered.insert(number)
        task?.sendPing { [weak self] error in
            self?.tell { $0.pingAnswered(number, error) }
        }
    }

    /// The handler of a Ping may be called twice or never. Only its first call counts, and an error says nothing that
    /// the end of the task does not say better; a Ping that is never answered meets the keepalive's own deadline.
    private func pingAnswered(_ number: UInt64, _ error: (any Error)?) {
        guard unanswered.remove(number) != nil, phase == .open, error == nil else { return }
        tell(.pongReceived)
    }

    /// The consumer is ready for `count` more messages.
    func allow(_ count: Int) {
        guard phase < .ended, count > 0 else { return }
        demand = demand > .max - count ? .max : demand + count
        pump()
    }

    /// Keeps one receive outstanding while somebody wants a message, or while the peer's Close frame is behind some.
    func pump() {
        guard !isReceiving, let task else { return }
        switch phase {
        case .opening, .ended: return
        case .open: guard demand > 0 else { return }
        case .closing: guard failure == nil else { return }
        }
        isReceiving = true
        task.receive { [weak self] result in
            self?.tell { $0.received(result) }
        }
    }

    private func received(_ result: Result<URLSessionWebSocketTask.Message, any Error>) {
        isReceiving = false
        switch result {
        case .success(let message): messageArrived(message)
        case .failure(let error): connectionFailed(error)
        }
        pump()
    }

    private func messageArrived(_ native: URLSessionWebSocketTask.Message) {
        // What arrives behind our own Close frame has nobody to go to.
        guard phase == .open else { return }
        let message: Message
        // Not a switch: the enumeration is open on Apple platforms and closed on Linux.
        if case .string(let text) = native {
            message = .text(text)
        } else if case .data(let data) = native {
            message = .binary(data)
        } else {
            return fail(.unsupportedData, "message of a kind that is neither text nor binary")
        }
        guard message.byteCount <= limits.maximumMessageBytes else { return failTooBig() }
        demand -= 1
        tell(.message(message))
    }
}
