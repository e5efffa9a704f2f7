#if os(Linux)
import CCurl
import ConnectionCore
import SteadyTransport
import WebSocketWire

/// From the first step to the end of the opening handshake.
extension CurlSocket {
    var isWaitingToConnect: Bool { phase == .waiting }

    /// libcurl begins: name, TCP, proxy, TLS.
    func connect(in shard: Shard) {
        guard let request else { return }
        phase = .connecting
        let now = loop.now
        let left = deadline > now ? (deadline - now) / 1_000_000 : 0
        easy = EasyHandle(
            to: Endpoint(request), options: options, socketID: id, timeout: max(1, Int(min(left, 1 << 30))),
            in: shard)
    }

    /// libcurl is done, one way or the other.
    func connected(_ result: CURLcode) {
        guard phase == .connecting, let easy, let request else { return }
        let endpoint = Endpoint(request)
        guard result == CURLE_OK, let file = easy.file else {
            let failure = ConnectFailure(result, of: easy, to: endpoint, options: options)
            return endOpening(failure.reason, failure.error)
        }
        loop.connectEnded()
        phase = .upgrading
        let handshake = OpeningHandshake(request, offersDeflate: options.permessageDeflate)
        sendQueue.append(handshake.requestBytes(request, to: endpoint))
        self.handshake = handshake
        self.request = nil
        attach(file)
        scheduleWrite()
    }

    /// Bytes of the answer to the upgrade request.
    func receiveAnswer(_ bytes: UnsafeRawBufferPointer) {
        switch handshake?.receive(bytes) {
        case .incomplete, nil: break
        case .accepted(let agreement): opened(agreement)
        case .refused(let status, let retryAfter):
            endOpening(
                .openingRefused(status: status),
                ConnectionError(.refused, "the server refused the upgrade with HTTP status \(status)"),
                retryAfter: retryAfter)
        case .invalid(let message):
            endOpening(
                .openingFailed(.invalidResponse),
                ConnectionError(.protocolViolation, "the answer to the upgrade request is invalid: \(message)"))
        }
    }

    private func opened(_ agreement: OpeningHandshake.Agreement) {
        handshake = nil
        phase = .open
        deflate = agreement.deflate
        parser = FrameParser()
        assembler = MessageAssembler(limit: limits.maximumMessageBytes, deflate: deflate)
        if localClose != nil {
            // `close` came during the handshake: the peer gets its Close frame now.
            queueClose()
        } else {
            setDeadline(.max)
            openGate()
            tell(.opened(agreement.result))
        }
        agreement.rest.withUnsafeBytes { parse($0) }
    }

    func openingTimedOut() {
        let step =
            switch phase {
            case .waiting: "waiting for its turn to connect"
            case .connecting: "connecting"
            case .upgrading, .open, .closing, .ended, .lingering:
                "waiting for the server's answer to the upgrade request"
            }
        endOpening(
            .openingTimedOut,
            ConnectionError(
                .timedOut, "the opening handshake took longer than \(limits.openingHandshake); it was \(step)"))
    }

    /// The opening handshake has failed.
    func endOpening(_ reason: DisconnectReason, _ error: ConnectionError, retryAfter: Duration? = nil) {
        // What this side asked for first is the cause that counts.
        guard localClose == nil else { return end(timedOut: reason == .openingTimedOut) }
        finish(TransportClose(reason, retryAfter: retryAfter, error: error))
    }
}
#endif
