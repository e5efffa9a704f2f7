// The examples of the article "Moving from Starscream".
import SteadySocket

func watch(_ socket: SteadySocket) -> Task<Void, Never> {
    let watcher = Task {
        for await event in socket.events {
            switch event {
            case .opened(_, let result, let gap):
                print("open, subprotocol \(result.subprotocol ?? "none")")
                if let gap { print("away for \(gap): fetch what was missed") }
            case .closed(_, let close): print("ended: \(close.reason)")
            case .statusChanged(let status): print(status)
            }
        }
    }
    return watcher
}

func move() throws -> SteadySocket {
    let request = try ConnectionRequest(
        "wss://chat.example/ws",
        headers: [HeaderField("X-Client", "ios")],
        subprotocols: ["chat.v2"])
    var configuration = Configuration.standard
    configuration.timeouts.openingHandshake = .seconds(5)  // was request.timeoutInterval

    let socket = SteadySocket(configuration: configuration)
    socket.connect(to: Channel(request, identity: "mary"))
    return socket
}
