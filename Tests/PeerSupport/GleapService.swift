package import Foundation

/// The stand-in for the service behind GleapRealtime (Python `aiohttp`): it answers the HTTP calls, takes the sockets, and
/// reports both. What it can be told is listed in `Tests/Peers/gleap_service.py`. Any thread.
package final class GleapService: Sendable {
    /// The port of both.
    package let port: Int
    private let process: PythonProcess

    /// The key it takes; it holds everything that must be encoded in a query.
    package static let apiKey = "key+/=&?%#1"

    /// An answer to one of the next calls.
    package struct Answer: Sendable {
        package var status = 200
        package var body = ""
        package var headers: [String: String] = [:]
        /// Gives no answer until the client goes away.
        package var hangs = false

        package init(status: Int = 200, body: String = "", headers: [String: String] = [:], hangs: Bool = false) {
            self.status = status
            self.body = body
            self.headers = headers
            self.hangs = hangs
        }
    }

    /// Starts the service and waits until it listens.
    package init() async throws {
        process = try PythonProcess(script: "gleap_service.py", arguments: [])
        let ready = try await process.log.next("its port", within: .seconds(60)) { $0.event == .ready }
        guard let port = ready.http else { throw PeerError("gleap_service.py reported no port") }
        self.port = port
    }

    /// Base of the HTTP calls.
    package var apiURL: URL { URL(string: "http://127.0.0.1:\(port)")! }
    /// Where the sockets go.
    package var socketURL: URL { URL(string: "ws://127.0.0.1:\(port)")! }

    /// The paths of all HTTP calls the service has seen by now.
    package func calls() async throws -> [String] {
        try await records().filter { $0.event == .call }.compactMap(\.path)
    }

    /// The users of all sockets the service has taken by now.
    package func opened() async throws -> [String] {
        try await records().filter { $0.event == .open }.compactMap(\.contact)
    }

    /// An answer can arrive before the report of it is read.
    private func records() async throws -> [PeerRecord] {
        try await perform(["settle": true], name: "settle")
        return process.log.records
    }

    /// The next HTTP call to this path.
    package func nextCall(_ path: String) async throws -> PeerRecord {
        try await next("a call to \(path)") { $0.event == .call && $0.path == path }
    }

    /// The next socket that was opened.
    package func nextOpen() async throws -> PeerRecord { try await next("a socket") { $0.event == .open } }

    /// The next end of a socket.
    package func nextClosed() async throws -> PeerRecord {
        try await next("the end of a socket") { $0.event == .closed }
    }

    /// The first record not yet given out that matches, as soon as there is one.
    package func next(
        _ what: String, where matches: @escaping @Sendable (PeerRecord) -> Bool
    ) async throws -> PeerRecord {
        try await process.log.next(what, within: .seconds(60), where: matches)
    }

    /// Answers the next `times` calls of this path so.
    package func answer(_ path: String, with answer: Answer, times: Int = 1) async throws {
        try await perform(
            [
                "answer": path, "status": answer.status, "body": answer.body, "headers": answer.headers,
                "hang": answer.hangs, "times": times,
            ], name: "answer")
    }

    /// Sends a text to every socket.
    package func sendAll(_ text: String) async throws { try await perform(["send_all": text], name: "send_all") }

    /// Sends a binary message to every socket.
    package func sendBinary(_ text: String) async throws {
        try await perform(["send_binary": text], name: "send_binary")
    }

    private func perform(_ command: [String: Any], name: String) async throws {
        let json = try JSONSerialization.data(withJSONObject: command)
        try process.write(String(decoding: json, as: UTF8.self))
        let answer = try await next("\(name) to be done") {
            ($0.event == .done && $0.command == name) || $0.event == .error
        }
        guard answer.event == .done else {
            throw PeerError("gleap_service.py: \(name): \(answer.message ?? "unknown error")")
        }
    }

    /// Ends the service.
    package func stop() { process.stop() }
}
