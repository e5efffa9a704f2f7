public import Foundation
public import SteadySocket
import URLSessionTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the peer and the network do to a task.
extension SimulatedTask {
    /// The server accepts the upgrade.
    public func opens(subprotocol: String? = nil, headers: [String: String] = [:]) {
        answers(status: 101, headers: headers)
        delegate?.didOpen(subprotocol: subprotocol)
    }

    /// The server answers the upgrade request with something else than 101.
    public func refuses(status: Int, headers: [String: String] = [:]) {
        answers(status: status, headers: headers)
        completes(Self.urlError(-1011))
    }

    /// The server redirects. If the delegate follows, the task opens there; else it ends with the answer it has.
    public func redirects(status: Int = 302, to location: URL) {
        if delegate?.redirected(to: URLRequest(url: location)) != nil {
            opens()
        } else {
            refuses(status: status, headers: ["Location": location.absoluteString])
        }
    }

    /// The delegate's trust evaluator refuses the server's certificate.
    public func failsTrust() {
        delegate?.refusedTrust()
        completes(Self.urlError(-999))
    }

    /// A message arrives. It waits for a receive if there is none.
    public func delivers(_ message: Message) {
        inner.withLock { $0.unread.append(message) }
        deliverUnread()
    }

    /// The oldest Ping is answered.
    public func answersPing() {
        guard !quirks.contains(.noPong), let answered = takePing() else { return }
        answered(nil)
        if quirks.contains(.doublePong) { answered(nil) }
    }

    /// The server sends a Close frame and ends the connection. Nil for a frame without a code.
    public func closes(code: CloseCode?, reason: String = "") {
        endWithClose(code: Int(code?.rawValue ?? 1005), reason: reason)
    }

    /// The server answers our Close frame with its own.
    public func acknowledgesClose(code: Int, reason: String = "") {
        guard !quirks.contains(.closeUnanswered) else { return }
        endWithClose(code: code, reason: reason)
    }

    /// The connection breaks, without a Close frame.
    public func losesConnection() {
        guard !quirks.contains(.receiveNeverReturns) else { return }
        failsPings(Self.posixError(53))
        if !quirks.contains(.completesWithoutReceive) { failsReceive(Self.posixError(57)) }
        completes(Self.posixError(57))
    }

    // MARK: Step by step

    /// The answer to the upgrade request arrives; nothing is called.
    public func answers(status: Int, headers: [String: String] = [:]) {
        let url = request.url ?? URL(fileURLWithPath: "/")
        let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        inner.withLock { $0.response = response }
    }

    /// `didClose`.
    public func reportsClose(code: Int, reason: String = "") {
        inner.withLock { inner in
            inner.closeCode = code
            inner.closeReason = Data(reason.utf8)
        }
        delegate?.didClose(code: code, reason: Data(reason.utf8))
    }

    /// The task learns the code of a Close frame; the delegate is not told.
    public func seesClose(code: Int, reason: String = "") {
        inner.withLock { inner in
            inner.closeCode = code
            inner.closeReason = Data(reason.utf8)
        }
    }

    /// The task lets messages of any size through from now on, whatever `maximumMessageSize` says.
    public func ignoresMaximumMessageSize() { inner.withLock { $0.maximumMessageSize = .max } }

    /// The outstanding receive fails.
    public func failsReceive(_ error: any Error) { takeReceive()?(.failure(error)) }

    /// The outstanding receive fails with this error of the socket, by Darwin's number.
    public func failsReceive(posix code: Int) { failsReceive(Self.posixError(code)) }

    /// Every outstanding Ping fails; with `.doublePong` it fails twice.
    public func failsPings(_ error: any Error) {
        while !quirks.contains(.noPong), let failed = takePing() {
            failed(error)
            if quirks.contains(.doublePong) { failed(Self.posixError(89)) }
        }
    }

    /// Messages to send are taken, or fail.
    public func takesMessages(_ error: (any Error)? = nil) {
        let sends = inner.withLock { inner in
            defer { inner.sends = [] }
            return inner.sends
        }
        for sent in sends { sent(error) }
    }

    /// `didComplete`, once.
    public func completes(_ error: (any Error)? = nil) {
        let delegate = inner.withLock { inner -> NativeDelegate? in
            defer { inner.isComplete = true }
            return inner.isComplete ? nil : inner.delegate
        }
        delegate?.didComplete(error)
        releaseIfOver()
    }

    /// `didComplete` with an error of `URLSession`, by its number.
    public func completes(urlError code: Int) { completes(Self.urlError(code)) }

    /// `didComplete` with an error of the socket, by Darwin's number.
    public func completes(posix code: Int) { completes(Self.posixError(code)) }

    // MARK: Private

    private func endWithClose(code: Int, reason: String) {
        let finish: @Sendable () -> Void = {
            if self.quirks.contains(.noDidClose) {
                // The task ends as if the frame had never been seen.
            } else if self.quirks.contains(.closeCodeZero) {
                self.delegate?.didClose(code: 0, reason: nil)
            } else {
                self.reportsClose(code: code, reason: reason)
            }
            self.failsReceive(posix: 57)
            self.completes()
        }
        if quirks.contains(.errorBeforeClose) {
            failsReceive(posix: 57)
            clock.after(.milliseconds(500), finish)
        } else {
            finish()
        }
    }

    func deliverUnread() {
        while true {
            let (receive, message, limit) = inner.withLock { inner -> (Received?, Message?, Int) in
                guard let receive = inner.receive, !inner.unread.isEmpty else { return (nil, nil, 0) }
                inner.receive = nil
                return (receive, inner.unread.removeFirst(), inner.maximumMessageSize)
            }
            guard let receive, let message else { return }
            if message.byteCount >= limit || quirks.contains(.messageOverLimit) {
                receive(.failure(Self.posixError(40)))
                continue
            }
            switch message {
            case .text(let text): receive(.success(.string(text)))
            case .binary(let data): receive(.success(.data(data)))
            }
        }
    }

    private func takeReceive() -> Received? {
        inner.withLock { inner in
            defer { inner.receive = nil }
            return inner.receive
        }
    }

    private func takePing() -> Done? {
        inner.withLock { $0.pings.isEmpty ? nil : $0.pings.removeFirst() }
    }
}
