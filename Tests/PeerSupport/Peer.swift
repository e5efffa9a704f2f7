import Foundation

/// A WebSocket server that is not ours (Python `websockets`): it misbehaves on request and reports what it saw.
///
/// What a path asks for is listed in `Tests/Peers/behaviours.py`. It listens on loopback on a port of its own, so any
/// number can run at once. It ends with `stop()` or when the last reference goes. Any thread.
package final class Peer: Sendable {
    /// Port for `ws`.
    package let port: Int
    /// Port for `wss`; nil without a certificate.
    package let securePort: Int?
    private let process: PythonProcess

    /// Something the server does to all its sockets.
    package enum Command: Sendable {
        case closeAll(code: Int, reason: String = "")
        case dropAll
        case resetAll
        case sendAll(String)
        /// Whether it stops answering: it still reads, but neither pongs nor closes nor opens.
        case silent(Bool)
        /// Refuses new connections; open sockets stay.
        case stopListening
        /// Listens again on the same port.
        case startListening

        fileprivate var name: String {
            switch self {
            case .closeAll: "close_all"
            case .dropAll: "drop_all"
            case .resetAll: "reset_all"
            case .sendAll: "send_all"
            case .silent: "silent"
            case .stopListening: "stop"
            case .startListening: "start"
            }
        }

        fileprivate var json: [String: Any] {
            switch self {
            case .closeAll(let code, let reason): [name: code, "reason": reason]
            case .sendAll(let text): [name: text]
            case .silent(let silent): [name: silent]
            case .dropAll, .resetAll, .stopListening, .startListening: [name: true]
            }
        }
    }

    /// Starts the server and waits until it listens.
    ///
    /// - Parameters:
    ///   - certificate: makes it listen for `wss` as well.
    ///   - options: more options of `peer.py`, such as `--no-deflate` or `--report-messages`.
    package init(certificate: ServerCertificate? = nil, options: [String] = []) async throws {
        var arguments = options
        if let certificate {
            arguments += ["--cert", certificate.chain, "--key", certificate.key]
        }
        process = try PythonProcess(script: "peer.py", arguments: arguments)
        let ready = try await process.log.next("its port", within: .seconds(60)) { $0.event == .ready }
        guard let port = ready.ws else {
            throw PeerError("peer.py reported no port")
        }
        self.port = port
        securePort = ready.wss
    }

    /// `ws://127.0.0.1:PORT` followed by the path.
    package func url(_ path: String) -> String {
        "ws://127.0.0.1:\(port)\(path)"
    }

    /// `wss://HOST:PORT` followed by the path; the host as the certificate is to be checked against.
    package func secureURL(_ path: String, host: String = "localhost") throws -> String {
        guard let securePort else {
            throw PeerError("this peer has no certificate, so it does not listen for wss")
        }
        return "wss://\(host):\(securePort)\(path)"
    }

    /// Everything reported so far, in order.
    package var records: [PeerRecord] { process.log.records }

    /// The first record not yet given out that matches, as soon as there is one.
    ///
    /// - Parameters:
    ///   - what: what is awaited, for the error.
    ///   - limit: measured from the call; past it an error says what was reported instead. Default 60 s.
    package func next(
        _ what: String = "a record", within limit: Duration = .seconds(60),
        where matches: @escaping @Sendable (PeerRecord) -> Bool
    ) async throws -> PeerRecord {
        try await process.log.next(what, within: limit, where: matches)
    }

    /// The next socket that was opened, of those whose path begins so.
    package func nextOpen(_ path: String = "/") async throws -> PeerRecord {
        try await next("an open socket on \(path)") { $0.event == .open && $0.path?.hasPrefix(path) == true }
    }

    /// The end of the socket with this id, or of any.
    package func nextClosed(_ id: Int? = nil) async throws -> PeerRecord {
        try await next("the end of socket \(id.map(String.init) ?? "any")") {
            $0.event == .closed && (id == nil || $0.id == id)
        }
    }

    /// Tells the server to do something and waits until it has.
    package func perform(_ command: Command) async throws {
        let json = try JSONSerialization.data(withJSONObject: command.json)
        try process.write(String(decoding: json, as: UTF8.self))
        let name = command.name
        let answer = try await next("\(name) to be done") {
            ($0.event == .done && $0.command == name) || $0.event == .error
        }
        guard answer.event == .done else {
            throw PeerError("peer.py: \(name): \(answer.message ?? "unknown error")")
        }
    }

    /// Ends the server; every socket drops without a close frame. Calling it again does nothing.
    package func stop() {
        process.stop()
    }
}

/// An HTTP CONNECT proxy and a SOCKS5 proxy on loopback that report every use as a `proxied` record.
package final class PeerProxy: Sendable {
    /// Port of the HTTP proxy.
    package let httpPort: Int
    /// Port of the SOCKS5 proxy.
    package let socksPort: Int
    private let process: PythonProcess

    /// Starts both. With `credentials` they refuse whoever does not give these.
    package init(credentials: (user: String, password: String)? = nil) async throws {
        let arguments = credentials.map { ["--user", $0.user, "--password", $0.password] } ?? []
        process = try PythonProcess(script: "proxy.py", arguments: arguments)
        let ready = try await process.log.next("its ports", within: .seconds(60)) { $0.event == .ready }
        guard let httpPort = ready.http, let socksPort = ready.socks5 else {
            throw PeerError("proxy.py reported no ports")
        }
        self.httpPort = httpPort
        self.socksPort = socksPort
    }

    /// The next use, as soon as there is one.
    package func nextUse() async throws -> PeerRecord {
        try await process.log.next("a use of the proxy", within: .seconds(60)) { $0.event == .proxied }
    }

    /// Ends both.
    package func stop() {
        process.stop()
    }
}
