#if os(Linux)
import CZlib

/// Compresses messages one by one (RFC 7692 section 7.2.1). It keeps nothing from one to the next.
final class Deflater {
    /// Messages below this size, in bytes, are sent as they are: compressing them gains next to nothing.
    static let threshold = 128

    // On the heap: zlib remembers the address and refuses a stream that moved.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    /// - Parameter windowBits: 9 to 15; zlib has no raw stream with 8.
    init?(windowBits: Int32) {
        // The fastest level: a message waits for this, and a slower one saves little on what sockets carry.
        stream.initialize(to: z_stream())
        guard steady_deflate_init(stream, Z_BEST_SPEED, windowBits) == Z_OK else { return nil }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The compressed payload, nil if it would not be smaller.
    func deflate(_ payload: UnsafeRawBufferPointer) -> [UInt8]? {
        guard payload.count <= Int(UInt32.max) else { return nil }
        deflateReset(stream)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: payload.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(payload.count)
        // Four bytes more than the payload: the empty block at the end is taken off again.
        let compressed = [UInt8](unsafeUninitializedCapacity: payload.count + 4) { buffer, count in
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = UInt32(buffer.count)
            _ = CZlib.deflate(stream, Z_SYNC_FLUSH)
            count = buffer.count - Int(stream.pointee.avail_out)
        }
        guard stream.pointee.avail_in == 0, stream.pointee.avail_out > 0,
            compressed.suffix(4) == [0, 0, 0xFF, 0xFF]
        else { return nil }
        return compressed.dropLast(4)
    }
}

/// Decompresses messages one by one (RFC 7692 section 7.2.2), within a limit.
final class Inflater {
    enum Failure: Error, Equatable {
        case corrupt
        /// The message is larger than the limit; decompression stopped there.
        case tooBig
    }

    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let keepsContext: Bool

    /// - Parameter windowBits: 8 to 15.
    init?(windowBits: Int32, keepsContext: Bool) {
        self.keepsContext = keepsContext
        stream.initialize(to: z_stream())
        guard steady_inflate_init(stream, windowBits) == Z_OK else { return nil }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses one whole message to at most `limit` bytes; no more than that is ever allocated.
    func inflate(_ compressed: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        if !keepsContext { inflateReset(stream) }
        var message: [UInt8] = []
        var failure: Failure?
        // The sender took the empty block off the end (section 7.2.1).
        for part in [compressed, [0, 0, 0xFF, 0xFF]] where failure == nil {
            part.withUnsafeBufferPointer { input in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = UInt32(input.count)
                failure = drain(into: &message, limit: limit)
            }
        }
        if let failure { throw failure }
        return message
    }

    /// Runs until the input is used up.
    private func drain(into message: inout [UInt8], limit: Int) -> Failure? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16 << 10) { chunk in
            while true {
                stream.pointee.next_out = chunk.baseAddress
                stream.pointee.avail_out = UInt32(chunk.count)
                let status = CZlib.inflate(stream, Z_SYNC_FLUSH)
                let produced = chunk.count - Int(stream.pointee.avail_out)
                guard message.count + produced <= limit else { return .tooBig }
                message.append(contentsOf: UnsafeBufferPointer(rebasing: chunk[..<produced]))
                switch status {
                case Z_OK: if stream.pointee.avail_in == 0 && stream.pointee.avail_out > 0 { return nil }
                // A block may be marked as the last (section 7.2.3.4); what follows starts afresh.
                case Z_STREAM_END:
                    inflateReset(stream)
                    if stream.pointee.avail_in == 0 { return nil }
                case Z_BUF_ERROR: return stream.pointee.avail_in == 0 ? nil : .corrupt
                default: return .corrupt
                }
            }
        }
    }
}
#endif
