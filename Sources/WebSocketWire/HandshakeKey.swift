/// The key of an opening handshake and the proof that the server read it (RFC 6455 section 1.3).
package enum HandshakeKey {
    /// A fresh value for `Sec-WebSocket-Key`: 16 random bytes in base64 (section 4.1).
    package static func random() -> String {
        // Two draws rather than sixteen: each one is a system call.
        let halves = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        return base64(halves.withUnsafeBytes(Array.init))
    }

    /// Whether a client's key is 16 bytes in base64, as section 4.2.1 demands of it.
    package static func isValid(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        let digits = Array(base64Digits)
        // 16 bytes are 22 digits and two signs of padding; the last digit carries four bits that must be zero.
        return bytes.count == 24 && bytes.suffix(2) == [UInt8(ascii: "="), UInt8(ascii: "=")]
            && bytes.prefix(22).allSatisfy(digits.contains)
            && digits.firstIndex(of: bytes[21]).map { $0 & 0xF == 0 } == true
    }

    /// The value of `Sec-WebSocket-Accept` that answers `key` (section 4.2.2).
    package static func accept(for key: String) -> String {
        base64(sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }
}

private let base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8

/// Base64 with padding (RFC 4648 section 4).
package func base64(_ bytes: [UInt8]) -> String {
    let digits = Array(base64Digits)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
        for digit in 0..<4 {
            text.append(digit <= group.count ? digits[Int(bits >> UInt32(18 - 6 * digit) & 63)] : UInt8(ascii: "="))
        }
    }
    return String(decoding: text, as: UTF8.self)
}
