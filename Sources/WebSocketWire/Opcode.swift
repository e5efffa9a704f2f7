/// The type of a frame (RFC 6455 section 5.2). The set is open, because a peer may send any four bits.
package struct Opcode: RawRepresentable, Hashable, Sendable {
    /// The four bits on the wire.
    package var rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let continuation = Opcode(rawValue: 0x0)
    package static let text = Opcode(rawValue: 0x1)
    package static let binary = Opcode(rawValue: 0x2)
    package static let close = Opcode(rawValue: 0x8)
    package static let ping = Opcode(rawValue: 0x9)
    package static let pong = Opcode(rawValue: 0xA)

    /// Close, Ping, Pong and the five reserved ones (RFC 6455 section 5.5).
    package var isControl: Bool { rawValue & 0x8 != 0 }

    /// Whether RFC 6455 gives this opcode a meaning. A frame with any other fails the connection with 1002.
    package var isKnown: Bool { rawValue <= 0x2 || (0x8...0xA).contains(rawValue) }
}
