#if os(Linux)
import SteadyTransport
import WebSocketWire

/// What a socket has still to write: encoded frames, and who waits for them.
struct SendQueue {
    typealias Completion = @Sendable (ConnectionError?) -> Void

    /// Frames nothing has been tried with yet.
    private var queued: [UInt8] = []
    /// Bytes being written. They keep their address until they are gone: OpenSSL repeats a write only from there.
    private var writing: [UInt8] = []
    private var written = 0
    /// Bytes ever queued and ever written, to tell which messages are out.
    private var totalQueued: UInt64 = 0
    private(set) var totalWritten: UInt64 = 0
    private var waiting: [(end: UInt64, payloadBytes: Int, completion: Completion)] = []

    var isEmpty: Bool { writing.isEmpty && queued.isEmpty }

    /// Bytes queued and not yet tried.
    var queuedBytes: Int { queued.count }

    /// Appends bytes as they are; for the upgrade request.
    mutating func append(_ bytes: [UInt8]) {
        queued.append(contentsOf: bytes)
        totalQueued += UInt64(bytes.count)
    }

    /// Appends one frame, masked.
    mutating func append(
        _ opcode: Opcode, _ payload: UnsafeRawBufferPointer, isCompressed: Bool = false, mask: MaskingKey
    ) {
        let before = queued.count
        FrameHeader(opcode, payloadLength: UInt64(payload.count), isCompressed: isCompressed, mask: mask)
            .encode(into: &queued)
        let start = queued.count
        queued.append(contentsOf: payload)
        queued.withUnsafeMutableBytes { mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
        totalQueued += UInt64(queued.count - before)
    }

    /// Calls `completion` once everything queued so far has been written.
    mutating func notify(payloadBytes: Int, _ completion: @escaping Completion) {
        waiting.append((totalQueued, payloadBytes, completion))
    }

    /// How a write went.
    enum Progress: Equatable {
        case done
        case blocked
        case broken
    }

    /// Writes as much as the network takes.
    mutating func write(to easy: EasyHandle) -> Progress {
        while true {
            if writing.isEmpty {
                guard !queued.isEmpty else { return .done }
                swap(&writing, &queued)
            }
            while written < writing.count {
                let transfer = writing.withUnsafeBytes { bytes in
                    easy.send(
                        UnsafeRawBufferPointer(rebasing: bytes[written..<min(written + Self.chunk, bytes.count)]))
                }
                switch transfer {
                case .bytes(let count):
                    written += count
                    totalWritten += UInt64(count)
                case .wouldBlock: return .blocked
                case .ended: return .broken
                }
            }
            written = 0
            // A burst may go on in the same memory; a socket at rest holds none.
            if queued.isEmpty { writing = [] } else { writing.removeAll(keepingCapacity: true) }
        }
    }

    private static let chunk = 256 << 10

    /// Takes out the messages that have been written: their payload bytes together, and whom to tell.
    mutating func takeWritten() -> (payloadBytes: Int, completions: [Completion]) {
        let count = waiting.firstIndex { $0.end > totalWritten } ?? waiting.count
        guard count > 0 else { return (0, []) }
        let done = waiting.prefix(count)
        let result = (done.reduce(0) { $0 + $1.payloadBytes }, done.map(\.completion))
        if count == waiting.count { waiting = [] } else { waiting.removeFirst(count) }
        return result
    }

    /// Gives everything up and returns whom to tell.
    mutating func discard() -> [Completion] {
        let completions = waiting.map(\.completion)
        self = SendQueue()
        return completions
    }
}
#endif
