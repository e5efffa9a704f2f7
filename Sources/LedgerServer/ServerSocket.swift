internal import ConnectionCore
internal import ConnectionLedger
internal import Dispatch
internal import WebSocketWire

/// One TCP connection: its descriptor, its output and how far its WebSocket has come. `ServerSocket+Session` has the
/// protocol.
// Confined to the queue of its core: created, called and destroyed there, and its sources target it.
final class ServerSocket: @unchecked Sendable {
    enum Phase {
        /// The head of the request is arriving.
        case head
        /// The request is complete and waits for its turn.
        case waiting(UpgradeRequest)
        case open
        /// The server's Close frame is sent; the client's is awaited.
        case closing
        /// Everything is said. Input is discarded until the client ends TCP, so that unread bytes do not turn the end
        /// into a reset that destroys what is still on its way to the client.
        case lingering
        case gone
    }

    let id: UInt64
    let peer: String
    /// A cycle, which ends when the core forgets the socket.
    let core: ServerCore
    var phase = Phase.head
    var isSilent = false
    /// Bytes of the head, later those that came behind it before the socket opened.
    var head: [UInt8] = []
    var reader: FrameReader?
    var messageFate: Behaviour.MessageFate?
    var record: SocketRecord?
    var openedAt = Instant.zero

    private let descriptor: Int32
    private let readSource: any DispatchSourceRead
    private var isReading = false
    private var writeSource: (any DispatchSourceWrite)?
    private var isAwaitingWrite = false
    private var liveSources = 1
    private var output: [UInt8] = []
    private var written = 0

    init(id: UInt64, descriptor: Int32, peer: String, core: ServerCore) {
        self.id = id
        self.descriptor = descriptor
        self.peer = peer
        self.core = core
        readSource = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: core.queue)
        readSource.setEventHandler { [unowned self] in readReady() }
        readSource.setCancelHandler { self.sourceEnded() }
        adjustReading()
    }

    // MARK: Input

    private func readReady() {
        // Bounded, so that one busy client cannot keep the others waiting.
        for _ in 0..<8 where isReading {
            let transfer = Posix.read(descriptor, into: core.buffer)
            guard case .bytes(let count) = transfer else {
                switch transfer {
                case .endOfStream, .failed: lost()
                case .wouldBlock, .bytes: break
                }
                break
            }
            received(UnsafeRawBufferPointer(rebasing: core.buffer[..<count]))
            if count < core.buffer.count { break }
        }
        flush()
    }

    /// Reads what has arrived at a silent socket, answering nothing.
    func readRest() {
        while case .open = phase {
            switch Posix.read(descriptor, into: core.buffer) {
            case .bytes(let count): received(UnsafeRawBufferPointer(rebasing: core.buffer[..<count]))
            case .wouldBlock: return
            case .endOfStream, .failed: lost()
            }
        }
    }

    var hasHungUp: Bool { Posix.hasHungUp(descriptor) }

    /// Reads while there is somebody to listen: not when silent, and not when the client does not take its answers.
    func adjustReading() {
        var wanted = !isSilent && unsentBytes < core.options.maximumQueuedBytes
        switch phase {
        case .gone: return
        case .lingering: wanted = true
        case .head, .waiting, .open, .closing: break
        }
        guard wanted != isReading else { return }
        isReading = wanted
        if wanted { readSource.resume() } else { readSource.suspend() }
    }

    // MARK: Output

    var unsentBytes: Int { output.count - written }

    func send(_ bytes: some Collection<UInt8>) { output.append(contentsOf: bytes) }

    func send(_ opcode: Opcode, _ payload: some Collection<UInt8>) {
        FrameHeader(opcode, payloadLength: UInt64(payload.count)).encode(into: &output)
        output.append(contentsOf: payload)
    }

    /// Writes what the network takes and waits for room for the rest.
    func flush() {
        guard !isSilent, !isGone else { return }
        while written < output.count {
            let transfer = output.withUnsafeBytes { Posix.write(descriptor, .init(rebasing: $0[written...])) }
            switch transfer {
            case .bytes(let count):
                written += count
            case .wouldBlock:
                if written > output.count / 2 {
                    output.removeFirst(written)
                    written = 0
                }
                awaitWrite(true)
                adjustReading()
                return
            case .endOfStream, .failed:
                lost()
                return
            }
        }
        output = []
        written = 0
        awaitWrite(false)
        adjustReading()
        if case .lingering = phase { Posix.finishWriting(descriptor) }
    }

    private func awaitWrite(_ wanted: Bool) {
        guard wanted != isAwaitingWrite else { return }
        isAwaitingWrite = wanted
        guard wanted else {
            writeSource?.suspend()
            return
        }
        if let writeSource {
            writeSource.resume()
            return
        }
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: core.queue)
        source.setEventHandler { [unowned self] in flush() }
        source.setCancelHandler { self.sourceEnded() }
        writeSource = source
        liveSources += 1
        source.resume()
    }

    // MARK: End

    var isGone: Bool {
        switch phase {
        case .gone: true
        case .head, .waiting, .open, .closing, .lingering: false
        }
    }

    /// Ends the TCP connection. The descriptor is closed when no source watches it any more.
    func destroy() {
        guard !isGone else { return }
        phase = .gone
        output = []
        // A suspended source does not get around to its cancel handler.
        if !isReading { readSource.resume() }
        readSource.cancel()
        if let writeSource {
            if !isAwaitingWrite { writeSource.resume() }
            writeSource.cancel()
        }
    }

    private func sourceEnded() {
        liveSources -= 1
        guard liveSources == 0 else { return }
        Posix.close(descriptor)
        core.remove(self)
    }
}
