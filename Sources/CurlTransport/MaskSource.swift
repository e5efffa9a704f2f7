#if os(Linux)
import Glibc
import WebSocketWire

/// Masking keys out of the kernel's generator, fetched in handfuls: one system call per frame would be a good part of
/// what a ping costs. RFC 6455 section 5.3 wants keys that cannot be predicted, so no cheaper generator will do.
struct MaskSource {
    /// As many as getentropy(3) gives at once.
    private var bytes = [UInt8](repeating: 0, count: 256)
    private var used: Int

    init() { used = bytes.count }

    mutating func next() -> MaskingKey {
        if used == bytes.count { refill() }
        defer { used += 4 }
        return bytes.withUnsafeBytes { MaskingKey($0.loadUnaligned(fromByteOffset: used, as: UInt32.self)) }
    }

    private mutating func refill() {
        used = 0
        guard getentropy(&bytes, bytes.count) != 0 else { return }
        // A kernel or sandbox without the call; the standard library knows other ways.
        for index in bytes.indices { bytes[index] = .random(in: .min ... .max) }
    }
}
#endif
