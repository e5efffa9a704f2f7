internal import Dispatch
internal import WebSocketWire

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A WebSocket to a port on loopback that can do what the library never does: end with a Close frame without a code, or
/// without any. It reads only to notice the end.
///
/// Confined to the queue it is given.
final class BareSocket {
    private let descriptor: Int32
    private var source: (any DispatchSourceRead)?
    private var head: [UInt8] = []
    private var isOpen = false

    /// Connects; nil if nobody listens. `onEnd` is called once if the peer ends it, not after `cancel` or `vanish`.
    init?(port: UInt16, target: String, queue: DispatchQueue, onEnd: @escaping @Sendable (BareSocket) -> Void) {
        guard let connected = Self.connect(port) else { return nil }
        descriptor = connected
        let request =
            "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(HandshakeKey.random())\r\n\r\n"
        send(Array(request.utf8))
        let source = DispatchSource.makeReadSource(fileDescriptor: connected, queue: queue)
        // The handler runs on the queue this object is confined to.
        nonisolated(unsafe) weak let me = self
        source.setEventHandler {
            guard let me, me.source != nil, me.hasEnded() else { return }
            me.vanish()
            onEnd(me)
        }
        source.setCancelHandler { close(connected) }
        source.activate()
        self.source = source
    }

    deinit { vanish() }

    /// A bare cancel: a Close frame without a code. The server sees 1005, or no socket at all during the handshake.
    func cancel() {
        guard source != nil else { return }
        if isOpen {
            var frame: [UInt8] = []
            FrameHeader(.close, payloadLength: 0, mask: .random()).encode(into: &frame)
            send(frame)
        }
        vanish()
    }

    /// The connection is gone without a word. The server sees 1006.
    func vanish() {
        source?.cancel()
        source = nil
    }

    /// Reads what is there; true if the peer ended the connection, sent a Close frame or refused the upgrade.
    private func hasEnded() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return true }
        if isOpen { return buffer[0] & 0xF == Opcode.close.rawValue }
        head += buffer[..<count]
        guard HTTPHead.end(in: head) != nil else { return false }
        isOpen = head.starts(with: Array("HTTP/1.1 101".utf8))
        return !isOpen
    }

    private func send(_ bytes: [UInt8]) { _ = write(descriptor, bytes, bytes.count) }

    private static func connect(_ port: UInt16) -> Int32? {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                systemConnect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}

// Inside `BareSocket` the plain name means its own function.
#if canImport(Glibc)
private let systemConnect = Glibc.connect
#elseif canImport(Darwin)
private let systemConnect = Darwin.connect
#endif
