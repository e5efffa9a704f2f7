/// Checks text that arrives in pieces (RFC 3629), and refuses at the first byte that cannot be part of it.
///
/// A piece may end within a character; the next one goes on there.
package struct UTF8Validator: Equatable, Sendable {
    /// How many bytes of the current character are still to come.
    private var missing: UInt8 = 0
    /// The bounds of the next byte of the current character. They are narrower than 80…BF only behind E0, ED, F0 and
    /// F4, to shut out overlong forms, surrogates and what lies beyond U+10FFFF.
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    package init() {}

    /// Whether the text may end here.
    package var isAtBoundary: Bool { missing == 0 }

    /// Takes the next piece.
    ///
    /// - Returns: false at the first byte that makes the text invalid; the validator is then of no further use.
    package mutating func consume(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                while index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                }
                guard index < bytes.count else { return true }
            }
            guard consume(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard (lower...upper).contains(byte) else { return false }
            (missing, lower, upper) = (missing - 1, 0x80, 0xBF)
            return true
        }
        switch byte {
        case 0x00...0x7F: break
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lower) = (2, 0xA0)
        case 0xED: (missing, upper) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lower) = (3, 0x90)
        case 0xF4: (missing, upper) = (3, 0x8F)
        case 0xF1...0xF3: missing = 3
        default: return false
        }
        return true
    }
}
