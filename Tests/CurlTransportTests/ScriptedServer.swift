#if os(Linux)
import Foundation
import Glibc
import PeerSupport
import WebSocketWire

/// Why a script could not go on; the client did not do what the script expects of it.
struct ScriptError: Error, CustomStringConvertible {
    var description: String
}

/// A TCP server on loopback that plays one script for each connection, on a thread of its own.
///
/// The port is free again, and every script ends, when the object goes.
// The properties are constants; the scripts run with values of their own.
final class ScriptedServer: @unchecked Sendable {
    typealias Script = @Sendable (ScriptedConnection) throws -> Void

    let port: Int
    private let listener: Int32
    private let outcomes: AsyncStream<Result<Void, any Error>>

    init(backlog: Int32 = 64, _ script: @escaping Script) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // A small fixed buffer, so that a server that does not read is felt soon.
        var bufferSize: Int32 = 128 << 10
        setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &bufferSize, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let file = listener
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(file, $0, length) == 0 && listen(file, backlog) == 0 && getsockname(file, $0, &length) == 0
            }
        }
        guard result else { throw ScriptError(description: "cannot listen: \(String(cString: strerror(errno)))") }
        port = Int(UInt16(bigEndian: address.sin_port))
        let (stream, continuation) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
        outcomes = stream
        Thread.detachNewThread {
            while true {
                let client = accept(file, nil, nil)
                guard client >= 0 else {
                    // Closed here and not in `deinit`, so that nobody else gets the number while this thread uses it.
                    Glibc.close(file)
                    return continuation.finish()
                }
                Thread.detachNewThread {
                    let connection = ScriptedConnection(client)
                    continuation.yield(Result { try script(connection) })
                    connection.close()
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    func url(_ path: String = "/") -> String { "ws://127.0.0.1:\(port)\(path)" }

    /// Waits for the next script to end, and throws what it threw.
    func scriptEnded() async throws {
        try await withWatchdog("the end of the script", within: .seconds(90)) { [outcomes] in
            for await outcome in outcomes { return try outcome.get() }
            throw ScriptError(description: "the server ended")
        }
    }
}

/// Something a script and its test tell each other, once.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func raise() { semaphore.signal() }

    /// For scripts, which have a thread to block.
    func block() throws {
        guard semaphore.wait(timeout: .now() + 60) == .success else {
            throw ScriptError(description: "the test gave no signal for 60 s")
        }
    }

    /// For tests.
    func wait() async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [self] in continuation.resume(with: Result { try block() }) }
        }
    }
}

/// One accepted connection, in the hands of a script. Reading gives up after 60 s.
final class ScriptedConnection {
    private var file: Int32
    private var unread: [UInt8] = []

    init(_ file: Int32) {
        self.file = file
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(file, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Reads the upgrade request.
    func readHead() throws -> HTTPHead {
        while true {
            if let end = HTTPHead.end(in: unread) {
                defer { unread.removeSubrange(..<end) }
                return try HTTPHead.parse(unread[..<end])
            }
            guard try fill() else { throw ScriptError(description: "the connection ended within the request") }
        }
    }

    /// Reads the upgrade request and answers it as it should be, with `bytes` behind the answer in the same write.
    @discardableResult
    func accept(headers: String = "", then bytes: [UInt8] = []) throws -> HTTPHead {
        let head = try readHead()
        let accept = HandshakeKey.accept(for: head["sec-websocket-key"] ?? "")
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: \(accept)\r\n\(headers)\r\n"
        send(Array(answer.utf8) + bytes)
        return head
    }

    /// Writes everything; false if the client is gone.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(file, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Writes one frame; unmasked unless said otherwise, as a server does.
    func send(_ header: FrameHeader, _ payload: [UInt8]) {
        var bytes: [UInt8] = []
        header.encode(into: &bytes)
        send(bytes + payload)
    }

    func send(_ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true) {
        send(FrameHeader(opcode, payloadLength: UInt64(payload.count), isFinal: isFinal), payload)
    }

    func sendClose(_ code: UInt16, _ reason: String = "") {
        send(.close, ClosePayload(code: code, reason: reason).encode())
    }

    /// The next frame of the client, unmasked; nil at the end of the connection.
    func readFrame() throws -> (header: FrameHeader, payload: [UInt8])? {
        while true {
            let decoded = unread.withUnsafeBytes { FrameHeader.decode($0) }
            switch decoded {
            case .malformed(let why): throw ScriptError(description: "the client sent \(why)")
            case .header(let header, let size) where unread.count >= size + Int(header.payloadLength):
                guard let mask = header.mask else {
                    throw ScriptError(description: "the client sent an unmasked frame")
                }
                let end = size + Int(header.payloadLength)
                var payload = Array(unread[size..<end])
                payload.withUnsafeMutableBytes { mask.apply(to: $0) }
                unread.removeSubrange(..<end)
                return (header, payload)
            case .incomplete, .header:
                guard try fill() else { return nil }
            }
        }
    }

    /// The client's Close frame, whatever comes before it; 1006 if the connection ends without one.
    func readClose() throws -> ClosePayload {
        while let (header, payload) = try readFrame() {
            if header.opcode == .close { return try ClosePayload.decode(payload) }
        }
        return ClosePayload(code: 1006)
    }

    /// Waits for the client's FIN or reset.
    func waitForEnd() throws {
        while try fill() { unread = [] }
    }

    /// Ends the connection with FIN.
    func close() {
        if file >= 0 { Glibc.close(file) }
        file = -1
    }

    /// Ends the connection with RST.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(file, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }

    /// Reads more; false at the end of the connection.
    private func fill() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(file, &buffer, buffer.count, 0)
        if count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) {
            throw ScriptError(description: "the client sent nothing for 60 s")
        }
        guard count > 0 else { return false }
        unread += buffer[..<count]
        return true
    }
}
#endif
