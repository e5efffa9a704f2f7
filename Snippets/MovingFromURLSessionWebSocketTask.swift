// The example of the article "Moving from a bare URLSessionWebSocketTask".
import SteadySocket

struct Session: Sendable {
    let user = "mary"
    func token(renew: Bool) async throws -> String { renew ? "next" : "first" }
}

func move(_ session: Session) async {
    let socket = SteadySocket()
    let channel = Channel(identity: session.user) { reason in
        try ConnectionRequest(
            "wss://chat.example/ws",
            headers: [HeaderField("Authorization", "Bearer \(try await session.token(renew: reason == .refused))")],
            subprotocols: ["chat.v2"])
    }
    socket.connect(to: channel)

    do {
        try await socket.send(.text("hi"), whenOpen: .seconds(10))
    } catch {
        switch error.code {
        case .timedOut: print("no socket within 10 s: \(socket.status)")
        case .queueFull: print("too much is waiting already")
        case .messageTooBig: print("larger than 16 MiB")
        default: print(error)
        }
    }
}
