// The examples of the article "What the server sees".
import SteadySocket

func watchOutcomes(_ socket: SteadySocket) async {
    for await event in socket.events {
        guard case .closed(let attempt, let close) = event, let outcome = close.outcome else { continue }
        switch outcome {
        case .acknowledged: print("\(attempt): the server answered")
        case .flushed: print("\(attempt): sent, no answer")
        case .unknown(let wait): print("\(attempt): no sign of the server within \(wait)")
        }
    }
}

func partOfALargeFleet() -> SteadySocket {
    let socket = SteadySocket(configuration: .stormSafe)
    return socket
}
