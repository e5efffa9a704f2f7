// The examples of the article "Lifecycle of a socket".
import SteadySocket

actor Tokens {
    private(set) var current = "first"
    func renew() { current = "next" }
}

func show(_ text: String) { print(text) }

func watch(_ socket: SteadySocket) async {
    for await status in socket.statuses {
        switch status {
        case .idle: show("Not connected")
        case .waiting(_, let delay, _): show("Next try in \(delay.components.seconds) s")
        case .opening: show("Connecting")
        case .open: show("Connected")
        case .closing: show("Closing")
        case .held(.background): show("Asleep")
        case .held(.offline): show("No network")
        case .held(.refused(let reason)): show("Sign in again: \(reason)")
        }
    }
}

func ask(_ socket: SteadySocket, tokens: Tokens) {
    let channel = Channel(identity: "mary") { reason in
        if reason == .refused { await tokens.renew() }
        return try ConnectionRequest(
            "wss://chat.example/ws",
            headers: [HeaderField("Authorization", "Bearer \(await tokens.current)")])
    }
    socket.connect(to: channel)
}

func driveLifecycle() -> SteadySocket {
    let lifecycle = ManualLifecycle(.foreground)
    var options = Options()
    options.lifecycle = .custom(lifecycle)
    let socket = SteadySocket(options: options)
    lifecycle.state = .background  // 10 s later the socket closes with 1001
    return socket
}

func explain(_ socket: SteadySocket) -> String {
    let report = socket.decisions.map { "\($0.at) \($0)" }.joined(separator: "\n")
    return report
}
