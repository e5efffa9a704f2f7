package import WebSocketWire
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A WebSocket client that does exactly what a test tells it, right or wrong. Calls wait; one that waits 20 s throws.
// Sending touches nothing but the descriptor, reading nothing else but `input`; a test does each on one thread at a time.
package final class RawClient: @unchecked Sendable {
    package enum Failure: Error, Equatable {
        case system(String, Int32)
        /// Nothing came for 20 s.
        case timedOut
        /// The server ended TCP in the middle of something.
        case endedEarly
        case malformed(String)
    }

    package struct Frame: Equatable {
        package var opcode: Opcode
        package var payload: [UInt8]
        package var isFinal = true

        package init(_ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true) {
            self.opcode = opcode
            self.payload = payload
            self.isFinal = isFinal
        }

        package static func text(_ text: String) -> Frame { Frame(.text, Array(text.utf8)) }

        package static func close(_ code: UInt16?, _ reason: String = "") -> Frame {
            Frame(.close, ClosePayload(code: code, reason: reason).encode())
        }
    }

    private let descriptor: Int32
    private var input: [UInt8] = []

    /// Connects to a port of 127.0.0.1.
    package init(port: UInt16) throws {
        descriptor = Self.streamSocket()
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result = Self.withAddress(port) { [descriptor] in connect(descriptor, $0, $1) }
        guard result == 0 else {
            let number = errno
            close()
            throw Failure.system("connect", number)
        }
    }

    deinit { close() }

    /// Connects and opens a WebSocket.
    package static func open(
        port: UInt16, _ path: String = "/", headers: [String] = []
    ) throws -> RawClient {
        let client = try RawClient(port: port)
        let head = try client.upgrade(path, headers: headers)
        guard head.startLine.hasPrefix("HTTP/1.1 101 ") else { throw Failure.malformed(head.startLine) }
        return client
    }

    /// Tries to take a port of 127.0.0.1 for a moment, as another server would; the `errno`, 0 if it can be had.
    package static func bind(port: UInt16) -> Int32 {
        let descriptor = streamSocket()
        defer { _ = systemClose(descriptor) }
        return withAddress(port) { systemBind(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    private static func streamSocket() -> Int32 {
        #if canImport(Glibc)
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    private static func withAddress(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    // MARK: Out

    package func send(_ bytes: [UInt8]) throws {
        #if canImport(Glibc)
        let flags = Int32(MSG_NOSIGNAL)
        #else
        let flags: Int32 = 0
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { throw Failure.system("send", errno) }
            rest = rest.dropFirst(count)
        }
    }

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// The request every client sends, and the head of the answer.
    package func upgrade(_ path: String = "/", headers: [String] = []) throws -> HTTPHead {
        try send(Self.request(path, headers: headers))
        return try readHead()
    }

    package static func request(_ path: String = "/", headers: [String] = []) -> String {
        let lines =
            [
                "GET \(path) HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ] + headers
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    package func send(_ frame: Frame, masked: Bool = true) throws { try send(Self.encode(frame, masked: masked)) }

    /// The bytes of a frame.
    package static func encode(_ frame: Frame, masked: Bool = true, reserved: UInt8 = 0) -> [UInt8] {
        let mask = masked ? MaskingKey(0x1234_ABCD) : nil
        var bytes: [UInt8] = []
        FrameHeader(
            frame.opcode, payloadLength: UInt64(frame.payload.count), isFinal: frame.isFinal, reserved: reserved,
            mask: mask
        ).encode(into: &bytes)
        var payload = frame.payload
        payload.withUnsafeMutableBytes { mask?.apply(to: $0) }
        return bytes + payload
    }

    /// Tells the server that nothing more will come, and goes on reading.
    package func finishWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    // MARK: In

    /// Reads an HTTP head.
    package func readHead() throws -> HTTPHead {
        while true {
            if let end = HTTPHead.end(in: input) {
                let head = try HTTPHead.parse(input[..<end])
                input.removeFirst(end)
                return head
            }
            guard try readMore() else { throw Failure.endedEarly }
        }
    }

    /// Reads a frame; nil if the server ended TCP instead.
    package func readFrame() throws -> Frame? {
        while true {
            switch input.withUnsafeBytes(FrameHeader.decode) {
            case .malformed(let rule): throw Failure.malformed(rule)
            case .incomplete: break
            case .header(let header, let byteCount):
                let end = byteCount + Int(header.payloadLength)
                guard header.mask == nil else { throw Failure.malformed("a masked frame from the server") }
                guard input.count >= end else { break }
                defer { input.removeFirst(end) }
                return Frame(header.opcode, Array(input[byteCount..<end]), isFinal: header.isFinal)
            }
            guard try readMore() else {
                guard input.isEmpty else { throw Failure.endedEarly }
                return nil
            }
        }
    }

    /// Reads until the server ends TCP, and returns what came. A reset is an end, too.
    package func readToEnd() throws -> [UInt8] {
        do {
            while try readMore() {}
        } catch Failure.system(_, ECONNRESET) {}
        defer { input = [] }
        return input
    }

    private func readMore() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { input += buffer[..<count] }
        if count >= 0 { return count > 0 }
        throw errno == EAGAIN || errno == EWOULDBLOCK ? Failure.timedOut : Failure.system("recv", errno)
    }

    // MARK: End

    private var isClosed = false

    /// Ends TCP in order.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        _ = systemClose(descriptor)
    }

    /// Ends TCP with a reset.
    package func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }
}

// Inside `RawClient` the plain names mean its own methods.
#if canImport(Glibc)
private let systemBind = Glibc.bind
private let systemClose = Glibc.close
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    Glibc.send(descriptor, bytes, count, flags)
}
#elseif canImport(Darwin)
private let systemBind = Darwin.bind
private let systemClose = Darwin.close
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    Darwin.send(descriptor, bytes, count, flags)
}
#endif
