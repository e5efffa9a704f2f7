/// Everything of a frame that stands before its payload (RFC 6455 section 5.2).
package struct FrameHeader: Equatable, Sendable {
    /// FIN: the last, or only, fragment of a message.
    package var isFinal: Bool
    /// RSV1, the bit permessage-deflate sets on the first fragment of a compressed message (RFC 7692 section 6).
    package var isCompressed: Bool
    /// RSV2 and RSV3 as the two low bits. No extension this library speaks uses them.
    package var reserved: UInt8
    /// The type of the frame.
    package var opcode: Opcode
    /// The masking key, nil for an unmasked frame. A client masks every frame, a server none (section 5.1).
    package var mask: MaskingKey?
    /// The size of the payload in bytes.
    package var payloadLength: UInt64

    package init(
        _ opcode: Opcode, payloadLength: UInt64, isFinal: Bool = true, isCompressed: Bool = false, reserved: UInt8 = 0,
        mask: MaskingKey? = nil
    ) {
        self.isFinal = isFinal
        self.isCompressed = isCompressed
        self.reserved = reserved
        self.opcode = opcode
        self.mask = mask
        self.payloadLength = payloadLength
    }

    /// The largest size of an encoded header: 2 bytes, an 8-byte length and a 4-byte masking key.
    package static let maximumByteCount = 14

    /// The largest payload of a Close, Ping or Pong frame (section 5.5).
    package static let maximumControlPayload = 125

    /// Appends the header with the shortest encoding of the length.
    package func encode(into bytes: inout [UInt8]) {
        bytes.append(
            (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | (reserved & 0b11) << 4 | (opcode.rawValue & 0xF))
        let masked: UInt8 = mask == nil ? 0 : 0x80
        switch payloadLength {
        case 0...125:
            bytes.append(masked | UInt8(payloadLength))
        case 126...0xFFFF:
            bytes.append(masked | 126)
            bytes.append(UInt8(payloadLength >> 8))
            bytes.append(UInt8(truncatingIfNeeded: payloadLength))
        default:
            bytes.append(masked | 127)
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payloadLength >> shift))
            }
        }
        if let mask { mask.encode(into: &bytes) }
    }
}

extension FrameHeader {
    /// What the bytes received so far amount to.
    package enum Decoded: Equatable, Sendable {
        /// The header is not complete yet.
        case incomplete
        /// A whole header, and how many bytes it took.
        case header(FrameHeader, byteCount: Int)
        /// No header RFC 6455 allows; the connection fails with 1002. The text says which rule is broken.
        case malformed(String)
    }

    /// Reads the header at the start of `bytes`.
    ///
    /// Refuses what no peer may send: a length that is not in its shortest form or has its top bit set, a fragmented
    /// control frame, a control frame of more than 125 bytes. Opcode, mask and reserved bits are for the caller to
    /// judge, who knows its role and its extensions.
    package static func decode(_ bytes: UnsafeRawBufferPointer) -> Decoded {
        guard bytes.count >= 2 else { return .incomplete }
        let opcode = Opcode(rawValue: bytes[0] & 0xF)
        let isFinal = bytes[0] & 0x80 != 0
        let shortLength = bytes[1] & 0x7F
        if opcode.isControl {
            guard isFinal else { return .malformed("a fragmented control frame") }
            guard shortLength <= maximumControlPayload else {
                return .malformed("a control frame of more than \(maximumControlPayload) bytes")
            }
        }
        let lengthBytes = shortLength == 126 ? 2 : shortLength == 127 ? 8 : 0
        let isMasked = bytes[1] & 0x80 != 0
        let byteCount = 2 + lengthBytes + (isMasked ? 4 : 0)
        guard bytes.count >= byteCount else { return .incomplete }

        var length = UInt64(shortLength)
        if lengthBytes > 0 {
            length = bytes[2..<2 + lengthBytes].reduce(0) { $0 << 8 | UInt64($1) }
            guard length > (lengthBytes == 2 ? 125 : 0xFFFF) else {
                return .malformed("a payload length that is not in its shortest form")
            }
            guard length >> 63 == 0 else { return .malformed("a payload length with its top bit set") }
        }
        let header = FrameHeader(
            opcode, payloadLength: length, isFinal: isFinal, isCompressed: bytes[0] & 0x40 != 0,
            reserved: bytes[0] >> 4 & 0b11,
            mask: isMasked ? MaskingKey(bytes: bytes[(byteCount - 4)..<byteCount]) : nil)
        return .header(header, byteCount: byteCount)
    }
}
