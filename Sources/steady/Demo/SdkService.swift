internal import Dispatch
internal import GleapRealtime
internal import LedgerServer
internal import WebSocketWire

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A service for the demo, on loopback: contacts over HTTP, sockets by a `LedgerServer`. It takes every credential.
///
/// `@unchecked Sendable` holds because the stored variables are touched on `queue` only.
final class SdkService: @unchecked Sendable {
    private let sockets = LedgerServer()
    private let queue = DispatchQueue(label: "steady.demo.sdk.service")
    private let listener: Int32
    private var source: (any DispatchSourceRead)?
    private var guests = 0
    let api: URL
    let socket: URL

    /// Starts both.
    init() throws {
        let webSocketPort = try sockets.start()
        let (listener, port) = try Self.listen()
        self.listener = listener
        api = URL(string: "http://127.0.0.1:\(port)")!
        socket = URL(string: "ws://127.0.0.1:\(webSocketPort)")!
        let source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
        source.setEventHandler { [weak self] in self?.acceptOne() }
        source.setCancelHandler { close(listener) }
        source.activate()
        self.source = source
    }

    deinit { source?.cancel() }

    /// Returns when no socket is left.
    func stop() async {
        queue.sync {
            source?.cancel()
            source = nil
        }
        await sockets.stop()
    }

    private func acceptOne() {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        // A client that sends half a request must not hold the service for ever.
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        defer { close(connection) }
        guard let (head, body) = Self.readRequest(connection) else { return }
        let (status, answer) = self.answer(head, body)
        let text = (try? JSONEncoder().encode(JSONValue.object(answer))) ?? Data()
        let lines = "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(text.count)\r\n"
        _ = Output.write(Array("\(lines)Connection: close\r\n\r\n".utf8) + Array(text), to: connection)
    }

    private func answer(_ head: HTTPHead, _ body: [UInt8]) -> (String, [String: JSONValue]) {
        let path = head.startLine.split(separator: " ").dropFirst().first ?? ""
        let members = (try? JSONDecoder().decode([String: JSONValue].self, from: Data(body))) ?? [:]
        switch path {
        case "/sessions":
            if let id = head["gleap-id"] { return ("200 OK", contact(id)) }
            guests += 1
            return ("200 OK", contact("guest-\(guests)"))
        case "/sessions/identify":
            guard let user = members["userId"]?.string else { return ("400 Bad Request", ["error": "no userId"]) }
            return ("200 OK", contact(user).merging(["userId": .string(user)]) { $1 })
        default: return ("404 Not Found", [:])
        }
    }

    private func contact(_ id: String) -> [String: JSONValue] {
        ["gleapId": .string(id), "gleapHash": .string("hash-of-\(id)")]
    }

    /// A whole request of at most 64 KiB, nil if it is none.
    private static func readRequest(_ connection: Int32) -> (HTTPHead, [UInt8])? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 65_536 {
            if let end = HTTPHead.end(in: bytes) {
                guard let head = try? HTTPHead.parse(bytes[..<end]) else { return nil }
                let length = head["content-length"].flatMap(Int.init) ?? 0
                if bytes.count - end >= length { return (head, Array(bytes[end...].prefix(max(0, length)))) }
            }
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
        return nil
    }

    private static func listen() throws -> (Int32, UInt16) {
        #if canImport(Glibc)
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let done = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && systemListen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard descriptor >= 0, done else {
            let meaning = Output.meaning(of: errno)
            if descriptor >= 0 { close(descriptor) }
            throw GleapError(.network, "cannot listen on 127.0.0.1", underlying: meaning)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}

// Inside `SdkService` the plain name means its own function.
#if canImport(Glibc)
private let systemListen = Glibc.listen
#elseif canImport(Darwin)
private let systemListen = Darwin.listen
#endif
