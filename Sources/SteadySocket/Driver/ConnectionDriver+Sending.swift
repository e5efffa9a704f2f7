import ConnectionCore
import SteadyTransport

extension ConnectionDriver {
    func send(_ outgoing: OutgoingMessage) {
        let size = outgoing.message.byteCount
        guard size <= limits.maximumMessageBytes else {
            return outgoing.completion(
                ConnectionError(
                    .messageTooBig, "the message has \(size) bytes; the limit is \(limits.maximumMessageBytes)"))
        }
        if let live, live.isOpen, let socket = live.socket {
            socket.send(outgoing.message, completion: outgoing.completion)
        } else if outgoing.deadline == nil {
            outgoing.completion(
                ConnectionError(.notOpen, "there is no open socket; the connection is \(publisher.status)"))
        } else if let error = waiting.append(outgoing) {
            outgoing.completion(error)
        }
    }

    func expireSends() {
        let now = now
        fail(
            waiting.take { $0.deadline.map { $0 <= now } ?? false },
            with: ConnectionError(
                .timedOut, "no socket opened in the time allowed; the connection is \(publisher.status)"))
    }

    func fail(_ messages: [OutgoingMessage], with error: ConnectionError) {
        for outgoing in messages { outgoing.completion(error) }
    }
}
