/// The four bytes a client XORs over the payload of a frame (RFC 6455 section 5.3).
package struct MaskingKey: Equatable, Sendable {
    /// The key as it lies in memory: its first byte on the wire is the first byte of this integer's storage.
    private var storage: UInt32

    /// Makes the key whose wire bytes are the bytes of `storage` in memory order.
    package init(_ storage: UInt32) { self.storage = storage }

    /// Makes a key of exactly four bytes.
    package init(bytes: some Sequence<UInt8>) {
        storage = 0
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: Array(bytes.prefix(4))) }
    }

    /// A key nobody can predict, as section 5.3 demands.
    package static func random() -> MaskingKey { MaskingKey(.random(in: .min ... .max)) }

    /// Appends the four bytes.
    package func encode(into bytes: inout [UInt8]) {
        withUnsafeBytes(of: storage) { bytes.append(contentsOf: $0) }
    }

    /// Masks or unmasks a part of a payload in place; doing it twice restores it.
    ///
    /// - Parameter offset: where the part starts within the payload.
    package func apply(to payload: UnsafeMutableRawBufferPointer, offset: Int = 0) {
        // Rotate the key so that its first byte belongs to the first byte of this part.
        let shift = UInt32(offset & 3) * 8
        let key = UInt32(littleEndian: storage)
        let rotated = shift == 0 ? key : key >> shift | key << (32 - shift)
        let wide = (UInt64(rotated) | UInt64(rotated) << 32).littleEndian

        var index = 0
        while index + 8 <= payload.count {
            let word = payload.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            payload.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < payload.count {
            payload[index] ^= UInt8(truncatingIfNeeded: rotated >> (UInt32(index & 3) * 8))
            index += 1
        }
    }
}
