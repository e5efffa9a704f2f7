import Foundation
import Observation
import SteadySocket

/// A line of the conversation.
struct ChatLine: Identifiable, Hashable, Sendable {
    let id: Int
    let text: String
    let isMine: Bool
}

/// What the views show. All of the socket's life is the connection's; this only asks, sends and reads.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable final class ChatModel {
    /// The connection and its status, for views to observe.
    let connection: SteadySocket.Observed
    private(set) var lines: [ChatLine] = []
    /// Why the last thing the user did failed; nil if it did not.
    private(set) var problem: String?

    init(_ socket: SteadySocket = SteadySocket()) { connection = SteadySocket.Observed(socket) }

    /// Asks for the user's channel. The library opens it when it is time, and keeps one socket for it.
    func signIn(as user: String) {
        var parts = URLComponents()
        (parts.scheme, parts.host, parts.path) = ("wss", "chat.example", "/ws")
        parts.queryItems = [URLQueryItem(name: "user", value: user)]
        reportingProblem { () throws(ConnectionError) in
            connection.socket.connect(to: try Channel(parts.string ?? ""))
        }
    }

    /// Closes with 1000. Leaving the app needs no call: the library closes with 1001 by itself.
    func signOut() {
        connection.socket.disconnect()
        lines = []
    }

    /// Reads until the task is cancelled.
    func read() async {
        for await message in connection.socket.messages {
            if case .text(let text) = message { add(text, isMine: false) }
        }
    }

    /// Sends, waiting up to 10 s for a socket.
    func send(_ text: String) async {
        do {
            try await connection.socket.send(.text(text), whenOpen: .seconds(10))
            problem = nil
            add(text, isMine: true)
        } catch {
            problem = error.message
        }
    }

    private func add(_ text: String, isMine: Bool) {
        lines.append(ChatLine(id: lines.count, text: text, isMine: isMine))
    }

    private func reportingProblem(_ body: () throws(ConnectionError) -> Void) {
        do {
            try body()
            problem = nil
        } catch {
            problem = error.message
        }
    }
}
