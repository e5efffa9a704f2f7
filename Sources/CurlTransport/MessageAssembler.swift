#if os(Linux)
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import ConnectionCore
import SteadyTransport
import WebSocketWire

/// A rule the peer broke, and the code to close with.
struct Violation: Error, Equatable {
    var code: CloseCode
    /// Which rule, in words for a log; also the reason of our Close frame.
    var message: String
}

/// Joins the parts of frames to messages and applies every rule of RFC 6455 section 5 that libwslay leaves to us.
struct MessageAssembler {
    /// What a frame completed.
    enum Received: Equatable {
        case message(Message)
        case ping([UInt8])
        case pong
        case close(ClosePayload)
    }

    private let limit: Int
    private let deflate: DeflateParameters?
    /// Made with the first compressed message: 40 KiB that most idle sockets never need.
    private var inflater: Inflater?
    /// The type of the message under way, nil between messages.
    private var type: Opcode?
    private var isCompressed = false
    private var message: [UInt8] = []
    private var utf8 = UTF8Validator()
    private var control: [UInt8] = []

    /// - Parameter limit: the largest message in bytes, after decompression.
    init(limit: Int, deflate: DeflateParameters?) {
        self.limit = limit
        self.deflate = deflate
    }

    /// Takes the next part; returns what it completed, if anything.
    mutating func receive(_ part: FramePart) throws(Violation) -> Received? {
        if part.isFirst { try begin(part.header, isMasked: part.isMasked) }
        if part.header.opcode.isControl {
            control.append(contentsOf: part.payload)
            return part.isLast ? try finishControl(part.header.opcode) : nil
        }
        message.append(contentsOf: part.payload)
        let isWhole = part.isLast && part.header.isFinal
        if type == .text && !isCompressed && !isWhole {
            // Bad text is refused as it arrives, not when the message is complete (section 8.1).
            guard utf8.consume(part.payload) else { throw Self.notUTF8 }
        }
        return isWhole ? try finishMessage(lastPart: part.payload) : nil
    }

    private mutating func begin(_ header: FrameHeader, isMasked: Bool) throws(Violation) {
        guard header.opcode.isKnown else {
            throw Violation(
                code: .protocolError, message: "frame with the reserved opcode \(header.opcode.rawValue)")
        }
        guard !isMasked else { throw Violation(code: .protocolError, message: "masked frame from a server") }
        let mayCompress = deflate != nil && (header.opcode == .text || header.opcode == .binary)
        guard header.reserved == 0, !header.isCompressed || mayCompress else {
            throw Violation(code: .protocolError, message: "reserved bit set in a frame")
        }
        guard !header.opcode.isControl else { return }
        if header.opcode == .continuation {
            guard type != nil else {
                throw Violation(code: .protocolError, message: "continuation frame without a message to continue")
            }
        } else {
            guard type == nil else {
                throw Violation(code: .protocolError, message: "new message before the last one was complete")
            }
            type = header.opcode
            isCompressed = header.isCompressed
        }
        // Compression may enlarge what cannot be compressed, by a little.
        let allowed = UInt64(limit) + (isCompressed ? UInt64(limit >> 8) + 1024 : 0)
        guard header.payloadLength <= allowed, UInt64(message.count) + header.payloadLength <= allowed else {
            throw tooBig
        }
        // A length that is only announced gets little memory.
        message.reserveCapacity(message.count + min(Int(header.payloadLength), 256 << 10))
    }

    private mutating func finishControl(_ opcode: Opcode) throws(Violation) -> Received? {
        let payload = control
        control = []
        switch opcode {
        case .ping: return .ping(payload)
        case .pong: return .pong
        default: break
        }
        do {
            let close = try ClosePayload.decode(payload)
            guard close.code.map({ CloseCode(rawValue: $0).mayBeSent }) != false else {
                throw Violation(code: .protocolError, message: "Close frame with a code that may not be sent")
            }
            return .close(close)
        } catch let violation as Violation {
            throw violation
        } catch ClosePayload.Malformed.reasonNotUTF8 {
            throw Violation(code: .invalidPayloadData, message: "Close frame with a reason that is not UTF-8")
        } catch {
            throw Violation(code: .protocolError, message: "Close frame with half a code")
        }
    }

    private mutating func finishMessage(lastPart: UnsafeRawBufferPointer) throws(Violation) -> Received {
        let type = type
        var payload = message
        let wasSplit = payload.count != lastPart.count
        message = []
        self.type = nil
        if isCompressed { payload = try inflate(payload) }
        guard type == .text else { return .message(.binary(Data(payload))) }
        if wasSplit && !isCompressed {
            defer { utf8 = UTF8Validator() }
            guard utf8.consume(lastPart), utf8.isAtBoundary else { throw Self.notUTF8 }
            return .message(.text(String(decoding: payload, as: UTF8.self)))
        }
        guard let text = String(validating: payload, as: UTF8.self) else { throw Self.notUTF8 }
        return .message(.text(text))
    }

    private mutating func inflate(_ payload: [UInt8]) throws(Violation) -> [UInt8] {
        guard let deflate else { return payload }
        let inflater =
            inflater ?? Inflater(windowBits: deflate.serverWindowBits, keepsContext: deflate.serverKeepsContext)
        guard let inflater else { throw Violation(code: .internalError, message: "no memory to decompress") }
        // Without a context to keep, nothing is kept.
        self.inflater = deflate.serverKeepsContext ? inflater : nil
        do {
            return try inflater.inflate(payload, limit: limit)
        } catch {
            switch error {
            case .tooBig: throw tooBig
            case .corrupt:
                throw Violation(code: .invalidPayloadData, message: "message that cannot be decompressed")
            }
        }
    }

    private var tooBig: Violation {
        Violation(code: .messageTooBig, message: "message larger than \(limit) bytes")
    }

    private static let notUTF8 = Violation(code: .invalidPayloadData, message: "text message that is not UTF-8")
}
#endif
