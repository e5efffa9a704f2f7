package import ConnectionCore
package import WebSocketWire

/// Reads what a client sends after the upgrade, in pieces of any size (RFC 6455 section 5).
///
/// No extension is ever agreed on, so every reserved bit is an error.
package struct FrameReader {
    /// A whole message or a control frame.
    package enum Event: Equatable {
        case text([UInt8])
        case binary([UInt8])
        case ping([UInt8])
        case pong
        case close(ClosePayload)
    }

    /// A rule the client broke: the code to close with and the rule.
    package struct Violation: Error, Equatable {
        package var code: CloseCode
        package var message: String
    }

    private let maximumMessageBytes: Int
    /// The start of a header whose rest has not arrived.
    private var partialHeader: [UInt8] = []
    private var frame: FrameHeader?
    /// How much of the current frame's payload has arrived.
    private var received = 0
    /// The type of the message whose fragments are arriving; nil between messages.
    private var messageType: Opcode?
    private var message: [UInt8] = []
    private var control: [UInt8] = []
    private var validator = UTF8Validator()

    /// - Parameter maximumMessageBytes: the largest message accepted, fragments joined; a larger one is a 1009.
    package init(maximumMessageBytes: Int) { self.maximumMessageBytes = maximumMessageBytes }

    /// Takes the next bytes. `emit` returns false to leave the rest unread, as after a Close frame.
    package mutating func consume(_ bytes: UnsafeRawBufferPointer, _ emit: (Event) -> Bool) throws(Violation) {
        var offset = 0
        while offset < bytes.count {
            if frame == nil { try takeHeader(bytes, &offset) }
            guard let header = frame else { return }
            try takePayload(of: header, bytes, &offset)
            guard received == Int(header.payloadLength) else { return }
            frame = nil
            if let event = try event(endedBy: header), !emit(event) { return }
        }
    }

    private mutating func takeHeader(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) throws(Violation) {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        let known = partialHeader.count
        let decoded: FrameHeader.Decoded
        if known == 0 {
            decoded = FrameHeader.decode(rest)
        } else {
            partialHeader += rest.prefix(FrameHeader.maximumByteCount - known)
            decoded = partialHeader.withUnsafeBytes(FrameHeader.decode)
        }
        switch decoded {
        case .malformed(let rule):
            throw Violation(code: .protocolError, message: rule)
        case .incomplete:
            if known == 0 { partialHeader = Array(rest) }
            offset = bytes.count
        case .header(let header, let byteCount):
            try check(header)
            partialHeader = []
            offset += byteCount - known
            received = 0
            frame = header
        }
    }

    private mutating func check(_ header: FrameHeader) throws(Violation) {
        func broken(_ rule: String) -> Violation { Violation(code: .protocolError, message: rule) }
        guard !header.isCompressed, header.reserved == 0 else {
            throw broken("a reserved bit is set though no extension was agreed on")
        }
        guard header.opcode.isKnown else { throw broken("a reserved opcode") }
        guard header.mask != nil else { throw broken("an unmasked frame from a client") }
        guard !header.opcode.isControl else { return }
        if header.opcode == .continuation {
            guard messageType != nil else { throw broken("a continuation frame without a message to continue") }
        } else {
            guard messageType == nil else { throw broken("a new message before the end of the one before") }
            messageType = header.opcode
            validator = UTF8Validator()
        }
        guard header.payloadLength <= UInt64(maximumMessageBytes - message.count) else {
            throw Violation(
                code: .messageTooBig, message: "a message of more than \(maximumMessageBytes) bytes")
        }
    }

    private mutating func takePayload(
        of header: FrameHeader, _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
    ) throws(Violation) {
        let count = min(bytes.count - offset, Int(header.payloadLength) - received)
        guard count > 0 else { return }
        let piece = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
        if header.opcode.isControl {
            append(piece, to: &control, of: header)
        } else {
            append(piece, to: &message, of: header)
            if messageType == .text {
                let isValid = message.withUnsafeBytes { validator.consume(.init(rebasing: $0.suffix(count))) }
                guard isValid else { throw notUTF8 }
            }
        }
        offset += count
        received += count
    }

    private func append(_ piece: UnsafeRawBufferPointer, to payload: inout [UInt8], of header: FrameHeader) {
        payload.append(contentsOf: piece)
        payload.withUnsafeMutableBytes {
            header.mask?.apply(to: .init(rebasing: $0.suffix(piece.count)), offset: received)
        }
    }

    private mutating func event(endedBy header: FrameHeader) throws(Violation) -> Event? {
        switch header.opcode {
        case .close:
            return .close(try closePayload())
        case .ping:
            defer { control = [] }
            return .ping(control)
        case .pong:
            control = []
            return .pong
        // The opcode was checked with the header; what is left are the three types of data frames.
        default:
            guard header.isFinal else { return nil }
            let isText = messageType == .text
            if isText, !validator.isAtBoundary { throw notUTF8 }
            defer {
                messageType = nil
                message = []
            }
            return isText ? .text(message) : .binary(message)
        }
    }

    private mutating func closePayload() throws(Violation) -> ClosePayload {
        let payload: ClosePayload
        do {
            payload = try ClosePayload.decode(control)
        } catch {
            switch error {
            case .halfCode: throw Violation(code: .protocolError, message: "a Close frame with half a code")
            case .reasonNotUTF8: throw Violation(code: .invalidPayloadData, message: "a close reason that is not UTF-8")
            }
        }
        if let code = payload.code, !CloseCode(rawValue: code).mayBeSent {
            throw Violation(code: .protocolError, message: "a Close frame with the code \(code)")
        }
        return payload
    }

    private var notUTF8: Violation { Violation(code: .invalidPayloadData, message: "text that is not UTF-8") }
}
