#if os(Linux)
import CZlib
import ConnectionCore
import SteadyTransport
import WebSocketWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What goes to the peer.
extension CurlSocket {
    /// Bytes of Pongs that may wait; beyond it only the last Ping is answered (RFC 6455 section 5.5.3).
    private static let maximumPongBytes = 16 << 10
    /// Bytes queued within a turn of the loop before they are written at once.
    private static let eagerBytes = 128 << 10

    /// A message that `send` has let in.
    func enqueue(
        _ message: Message, _ byteCount: Int, _ completion: @escaping @Sendable (ConnectionError?) -> Void
    ) {
        guard phase == .open, !isWriteBroken else {
            settle(byteCount, messages: 1)
            return completion(Self.closedError)
        }
        switch message {
        case .text(var text): text.withUTF8 { append(.text, UnsafeRawBufferPointer($0)) }
        case .binary(let data): data.withUnsafeBytes { append(.binary, $0) }
        }
        sendQueue.notify(payloadBytes: byteCount, completion)
        if sendQueue.queuedBytes >= Self.eagerBytes && !isBlocked { write() } else { scheduleWrite() }
    }

    private func append(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer) {
        let mask = loop.masks.next()
        if payload.count >= Deflater.threshold, let compressed = deflater?.deflate(payload) {
            compressed.withUnsafeBytes { sendQueue.append(opcode, $0, isCompressed: true, mask: mask) }
        } else {
            sendQueue.append(opcode, payload, mask: mask)
        }
    }

    private var deflater: Deflater? {
        guard let bits = deflate?.clientWindowBits else { return nil }
        if let deflater = loop.deflaters[bits] { return deflater }
        let made = Deflater(windowBits: bits)
        loop.deflaters[bits] = made
        return made
    }

    func sendPing() {
        guard phase == .open else { return }
        sendQueue.append(.ping, UnsafeRawBufferPointer(start: nil, count: 0), mask: loop.masks.next())
        scheduleWrite()
    }

    /// Answers a Ping; after our Close frame nothing may follow.
    func answer(_ ping: [UInt8]) {
        guard phase == .open else { return }
        guard pongBytes < Self.maximumPongBytes else {
            unansweredPing = ping
            return
        }
        pongBytes += ping.count + FrameHeader.maximumByteCount
        ping.withUnsafeBytes { sendQueue.append(.pong, $0, mask: loop.masks.next()) }
        scheduleWrite()
    }

    func scheduleWrite() {
        guard !isWriteScheduled else { return }
        isWriteScheduled = true
        loop.writeLater(self)
    }

    /// Whether a write waits not for room but for bytes of the peer: TLS renegotiates (RFC 5246 section 7.4.1.1), and
    /// libcurl does not say so. A record that goes out in pieces looks the same, but not for so long.
    var waitsForPeer: Bool { fruitlessWrites >= 64 }

    /// The kernel has room.
    func writable() {
        let before = sendQueue.totalWritten
        write()
        fruitlessWrites = isBlocked && sendQueue.totalWritten == before ? fruitlessWrites + 1 : 0
        if waitsForPeer { updateInterest() }
    }

    /// Tries again what waits for bytes of the peer.
    func peerMayHaveSpoken() {
        guard waitsForPeer else { return }
        fruitlessWrites = 0
        scheduleWrite()
    }

    /// Writes what the network takes and tells those whose messages are out.
    func write() {
        isWriteScheduled = false
        guard let easy, phase > .connecting, phase < .ended, !isWriteBroken else { return }
        let progress = sendQueue.write(to: easy)
        let (byteCount, completions) = sendQueue.takeWritten()
        if !completions.isEmpty {
            settle(byteCount, messages: completions.count)
            for completion in completions { completion(nil) }
        }
        isBlocked = progress == .blocked
        switch progress {
        case .blocked: break
        case .done: drained()
        case .broken: writeBroke()
        }
        updateInterest()
    }

    private func drained() {
        pongBytes = 0
        if let ping = unansweredPing {
            unansweredPing = nil
            answer(ping)
        }
        if isCloseQueued && !isCloseWritten {
            isCloseWritten = true
            lingerIfClosed()
        }
    }

    /// Nothing more can be written. The peer may have said why before it went, so the end comes from reading.
    private func writeBroke() {
        isWriteBroken = true
        giveUpMessages()
        boundBrokenConnection()
        if wantsToRead { scheduleRead() }
    }

    /// A connection that takes nothing any more is over once what the peer sent is read. How long a message waits unread
    /// is for the consumer to say; behind the last one the end must come soon.
    func boundBrokenConnection() {
        guard isWriteBroken, phase == .open else { return }
        setDeadline(held == nil ? loop.now.advanced(by: limits.closingHandshake) : .max)
    }

    /// Fails every message that has not been written.
    func giveUpMessages() {
        closeGate()
        for completion in sendQueue.discard() { completion(Self.closedError) }
    }

    private static let closedError = ConnectionError(.closed, "the socket closed before the message was sent")
}
#endif
