#if os(Linux)
import Glibc
import WebSocketWire

/// Masking keys out of the kernel's generator, fetched by the page: one system call per frame would be a good part of
/// what a ping costs. RFC 6455 section 5.3 wants keys that cannot be predicted, so no cheaper generator will do.
struct MaskSource {
    private var bytes = [UInt8](repeating: 0, count: 1024)
    private var used: Int

    init() { used = bytes.count }

    mutating func next() -> MaskingKey {
        if used == bytes.count { refill() }
        defer { used += 4 }
        return bytes.withUnsafeBytes { MaskingKey($0.loadUnaligned(fromByteOffset: used, as: UInt32.self)) }
    }

    private mutating func refill() {
        used = 0
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { getrandom($0.baseAddress! + filled, $0.count - filled, 0) }
            if count > 0 {
                filled += count
            } else if errno != EINTR {
                // No such call in this kernel or sandbox; the standard library knows other ways.
                for index in filled..<bytes.count { bytes[index] = .random(in: .min ... .max) }
                return
            }
        }
    }
}
#endif
