internal import ConnectionCore
internal import ConnectionLedger
internal import WebSocketWire

// Opening handshake, frames and endings of one socket. Nothing here writes to the network; whoever calls flushes.
extension ServerSocket {
    func received(_ bytes: UnsafeRawBufferPointer) {
        switch phase {
        case .head:
            let seen = head.count
            head.append(contentsOf: bytes)
            if let end = HTTPHead.end(in: head, from: seen - 3), end <= UpgradeRequest.maximumHeadBytes {
                finishHead(at: end)
            } else if head.count > UpgradeRequest.maximumHeadBytes {
                refuse(Refusal(431, "the head has more than \(UpgradeRequest.maximumHeadBytes) bytes"))
            }
        case .waiting:
            head.append(contentsOf: bytes)
            if head.count > UpgradeRequest.maximumHeadBytes { refuse(Refusal(400, "data before the upgrade")) }
        case .open, .closing:
            readFrames(bytes)
        case .lingering, .gone:
            break
        }
    }

    // MARK: Opening handshake

    private func finishHead(at end: Int) {
        do {
            let request = try UpgradeRequest(head: head[..<end])
            head = Array(head[end...])
            core.decide(self, request)
        } catch {
            refuse(error)
        }
    }

    func refuse(_ refusal: Refusal) {
        send(refusal.response)
        leave()
        core.recordRefusal(status: refusal.status, of: self)
    }

    func accept(_ request: UpgradeRequest) {
        let subprotocol = core.options.acceptsSubprotocol ? request.subprotocols.first : nil
        send(request.acceptance(subprotocol: subprotocol))
        phase = .open
        openedAt = core.now
        reader = FrameReader(maximumMessageBytes: core.options.maximumMessageBytes)
        let time = core.wallTime
        record = SocketRecord(
            id: id, opened: time, closed: time, seconds: 0, path: request.path,
            query: request.items(named: core.options.queryItems), peer: peer,
            code: CloseCode.abnormalClosure.rawValue, closedBy: .network)
        messageFate = core.behaviour.messageFate
        core.didOpen(self)
        if let hello = core.behaviour.hello { sendText(hello) }
        let early = head
        head = []
        if !early.isEmpty { early.withUnsafeBytes(received) }
    }

    // MARK: Frames

    private func readFrames(_ bytes: UnsafeRawBufferPointer) {
        do {
            try reader?.consume(bytes) { event in
                handle(event)
                switch phase {
                case .open, .closing: return true
                case .head, .waiting, .lingering, .gone: return false
                }
            }
        } catch {
            record?.note = error.message
            // What follows cannot be understood, so no Close frame of the client can be either.
            if !isSilent { sendClose(error.code, reason: error.message) }
            finish(.abnormalClosure, reason: "", by: .server)
        }
    }

    private func handle(_ event: FrameReader.Event) {
        switch event {
        case .text(let payload): take(.text, payload)
        case .binary(let payload): take(.binary, payload)
        case .ping(let payload):
            record?.pingsIn += 1
            if mayAnswer { send(.pong, payload) }
        case .pong: break
        case .close(let payload): take(payload)
        }
    }

    private func take(_ opcode: Opcode, _ payload: [UInt8]) {
        record?.messagesIn += 1
        record?.bytesIn += payload.count
        core.counters.messagesIn += 1
        guard mayAnswer else { return }
        if core.behaviour.echoes { sendMessage(opcode, payload) }
        if let messageFate, record?.messagesIn == messageFate.messages { apply(messageFate.fate) }
    }

    private func take(_ close: ClosePayload) {
        let code = close.code.map(CloseCode.init(rawValue:)) ?? .noStatusReceived
        switch phase {
        case .closing:
            finish(code, reason: close.reason, by: .server)
        case .open:
            if !isSilent { sendClose(close.code.map(CloseCode.init(rawValue:)), reason: close.reason) }
            finish(code, reason: close.reason, by: .client)
        case .head, .waiting, .lingering, .gone: break
        }
    }

    private var mayAnswer: Bool {
        switch phase {
        case .open: !isSilent
        case .head, .waiting, .closing, .lingering, .gone: false
        }
    }

    /// Sends a message nobody asked for. A client that does not read cannot be made to wait with those, as it can with
    /// echoes, so one that falls too far behind is dropped.
    func sendText(_ text: String) {
        guard mayAnswer else { return }
        guard unsentBytes <= core.options.maximumMessageBytes else {
            record?.note = "the client does not read"
            return drop()
        }
        sendMessage(.text, Array(text.utf8))
    }

    private func sendMessage(_ opcode: Opcode, _ payload: [UInt8]) {
        record?.messagesOut += 1
        record?.bytesOut += payload.count
        core.counters.messagesOut += 1
        send(opcode, payload)
    }

    private func sendClose(_ code: CloseCode?, reason: String) {
        record?.sentCode = (code ?? .noStatusReceived).rawValue
        send(.close, ClosePayload(code: code?.rawValue, reason: reason).encode())
    }

    // MARK: Endings

    /// Does to an open socket what was asked; others are past it.
    func apply(_ fate: Fate) {
        guard case .open = phase else { return }
        switch fate {
        case .close(let code, let reason): startClosing(code, reason: reason)
        case .closeWithoutCode: startClosing(nil, reason: "")
        case .drop: drop()
        case .silence:
            isSilent = true
            adjustReading()
            core.didSilence()
        }
    }

    private func startClosing(_ code: CloseCode?, reason: String) {
        // A silent server has no last words.
        guard !isSilent else { return drop() }
        sendClose(code, reason: reason)
        phase = .closing
        core.schedule(.closing(id), in: core.options.closingTimeout)
    }

    /// Ends TCP without a word.
    func drop() {
        if isSilent { readRest() }
        switch phase {
        case .head, .waiting: core.recordRefusal(status: nil, of: self)
        case .open, .closing: finish(.abnormalClosure, reason: "", by: .server)
        case .lingering, .gone: break
        }
        destroy()
    }

    /// The client ended TCP, or the network did.
    func lost() {
        switch phase {
        case .head, .waiting: core.recordRefusal(status: nil, of: self)
        case .open: finish(.abnormalClosure, reason: "", by: .network)
        case .closing: finish(.abnormalClosure, reason: "", by: .server)
        case .lingering, .gone: break
        }
        destroy()
    }

    /// Ends the socket's record: the only place where one is written.
    private func finish(_ code: CloseCode, reason: String, by closer: SocketRecord.Closer) {
        guard var record else { return }
        self.record = nil
        record.code = code.rawValue
        record.reason = reason
        record.closedBy = closer
        record.closed = core.wallTime
        record.seconds = (core.now - openedAt).inSeconds
        leave()
        core.recordSocket(record)
    }

    private func leave() {
        phase = .lingering
        isSilent = false
        core.schedule(.lingering(id), in: core.options.lingeringTimeout)
    }
}
