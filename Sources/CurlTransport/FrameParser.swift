#if os(Linux)
import CWslay
import WebSocketWire

/// Splits the bytes of one socket into frames with libwslay's frame functions, which also refuse lengths that are not
/// in their shortest form and control frames that are fragmented or too long.
///
/// libwslay holds 4 KiB for each socket, so it is given up whenever nothing of a frame is left in it.
final class FrameParser {
    /// What the bytes hold next.
    enum Next {
        /// More bytes are needed.
        case wantsMore
        /// A part of a frame's payload.
        case part(FramePart)
        /// Bytes no peer may send: 1002.
        case malformed
    }

    private var context: wslay_frame_context_ptr?
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private var current = wslay_frame_iocb()
    private var isWithinFrame = false
    /// Payload bytes of the current frame that have not come out yet.
    private var missing: UInt64 = 0
    /// Bytes libwslay has taken in and not given out.
    private var held: Int64 = 0

    deinit { discard() }

    /// Runs `body` while `next()` reads from `bytes`, and returns how many of them were not taken in.
    func read(_ bytes: UnsafeRawBufferPointer, _ body: () -> Void) -> Int {
        input = bytes
        body()
        let left = input.count
        input = UnsafeRawBufferPointer(start: nil, count: 0)
        if held == 0 && !isWithinFrame { discard() }
        return left
    }

    /// The next part of a frame. Its bytes are valid until the next call.
    func next() -> Next {
        let count = wslay_frame_recv(prepared(), &current)
        guard count >= 0 else { return count == Int(WSLAY_ERR_WANT_READ.rawValue) ? .wantsMore : .malformed }
        let isFirst = !isWithinFrame
        if isFirst {
            missing = current.payload_length
            held -= 2 + (missing > 0xFFFF ? 8 : missing > 125 ? 2 : 0) + (current.mask != 0 ? 4 : 0)
        }
        missing -= UInt64(count)
        held -= Int64(count)
        isWithinFrame = missing > 0
        return .part(
            FramePart(
                header: FrameHeader(
                    Opcode(rawValue: current.opcode), payloadLength: current.payload_length,
                    isFinal: current.fin != 0, isCompressed: current.rsv & 0b100 != 0, reserved: current.rsv & 0b11),
                isMasked: current.mask != 0, isFirst: isFirst, isLast: missing == 0,
                payload: UnsafeRawBufferPointer(start: current.data, count: count)))
    }

    private func prepared() -> wslay_frame_context_ptr {
        if let context { return context }
        var callbacks = wslay_frame_callbacks()
        callbacks.recv_callback = { buffer, capacity, _, parser in
            Unmanaged<FrameParser>.fromOpaque(parser!).takeUnretainedValue().give(buffer!, capacity)
        }
        var made: wslay_frame_context_ptr?
        // Fails only without memory.
        guard wslay_frame_context_init(&made, &callbacks, Unmanaged.passUnretained(self).toOpaque()) == 0, let made
        else { fatalError("out of memory") }
        context = made
        return made
    }

    /// libwslay takes -1 for "nothing now".
    private func give(_ buffer: UnsafeMutablePointer<UInt8>, _ capacity: Int) -> Int {
        guard !input.isEmpty else { return -1 }
        let count = min(capacity, input.count)
        UnsafeMutableRawPointer(buffer).copyMemory(from: input.baseAddress!, byteCount: count)
        input = UnsafeRawBufferPointer(rebasing: input[count...])
        held += Int64(count)
        return count
    }

    private func discard() {
        if let context { wslay_frame_context_free(context) }
        context = nil
    }
}

/// A part of a frame: the header again with each, and what of the payload has arrived.
struct FramePart {
    var header: FrameHeader
    var isMasked: Bool
    /// Whether the frame begins with this part.
    var isFirst: Bool
    /// Whether the frame ends with this part.
    var isLast: Bool
    var payload: UnsafeRawBufferPointer
}
#endif
