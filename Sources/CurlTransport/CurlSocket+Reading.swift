#if os(Linux)
import ConnectionCore
import SteadyTransport
import WebSocketWire

/// What comes from the peer.
extension CurlSocket {
    /// While a message waits for its consumer nothing is read, so that the peer feels the pressure; a socket that closes
    /// reads on to the end, or the peer's Close frame would never be seen.
    var wantsToRead: Bool {
        switch phase {
        case .waiting, .connecting, .ended, .lingering: false
        case .upgrading, .closing: true
        case .open: held == nil
        }
    }

    /// The consumer is ready for `count` more messages.
    func allow(_ count: Int) {
        guard phase < .ended, count > 0 else { return }
        allowed = allowed > .max - count ? .max : allowed + count
        guard let message = held else { return }
        held = nil
        boundBrokenConnection()
        deliver(message)
        scheduleRead()
    }

    func scheduleRead() {
        guard !isReadScheduled else { return }
        isReadScheduled = true
        loop.readLater(self)
    }

    /// Reads what there is, within a bound that keeps one busy socket from starving the others.
    func readable() {
        if isReadScheduled {
            isReadScheduled = false
            peerMayHaveSpoken()
            let bytes = unparsed
            unparsed = []
            bytes.withUnsafeBytes { parse($0) }
        }
        var rounds = 16
        while wantsToRead, let easy {
            guard rounds > 0 else {
                scheduleRead()
                break
            }
            rounds -= 1
            switch easy.receive(into: loop.readBuffer) {
            case .bytes(let count): ingest(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
            case .wouldBlock: return updateInterest()
            case .ended: return connectionEnded()
            }
        }
        updateInterest()
    }

    private func ingest(_ bytes: UnsafeRawBufferPointer) {
        if phase == .upgrading { receiveAnswer(bytes) } else { parse(bytes) }
    }

    /// Whether frames still mean something: not while a message waits, nor behind a Close frame or a broken rule.
    private var isParsing: Bool {
        phase == .open && held == nil || phase == .closing && peerClose == nil && violation == nil
    }

    func parse(_ bytes: UnsafeRawBufferPointer) {
        guard let parser, isParsing else { return }
        let left = parser.read(bytes) {
            while isParsing {
                switch parser.next() {
                case .wantsMore: return
                case .malformed:
                    fail(Violation(code: .protocolError, message: "frame with a malformed header"))
                case .part(let part): take(part)
                }
            }
        }
        if left > 0 && held != nil { unparsed = Array(bytes.suffix(left)) }
    }

    private func take(_ part: FramePart) {
        do throws(Violation) {
            switch try assembler?.receive(part) {
            case .message(let message): messageArrived(message)
            case .ping(let payload):
                answer(payload)
                tell(.pingReceived)
            case .pong: tell(.pongReceived)
            case .close(let payload): peerClosed(payload)
            case nil: break
            }
        } catch {
            fail(error)
        }
    }

    private func messageArrived(_ message: Message) {
        if allowed > 0 {
            deliver(message)
        } else if phase == .open {
            held = message
            boundBrokenConnection()
        }
        // While closing there is nobody to wait for.
    }

    private func deliver(_ message: Message) {
        allowed -= 1
        tell(.message(message))
    }

    /// FIN or reset.
    private func connectionEnded() {
        let error = ConnectionError(.connectionLost, "the connection ended without a Close frame")
        switch phase {
        case .upgrading:
            endOpening(
                .openingFailed(.connectionLost),
                ConnectionError(.connectionLost, "the connection ended before the answer to the upgrade request"))
        case .open: finish(TransportClose(.connectionLost, error: error))
        case .closing: end(timedOut: false)
        case .waiting, .connecting, .ended, .lingering: break
        }
    }
}
#endif
