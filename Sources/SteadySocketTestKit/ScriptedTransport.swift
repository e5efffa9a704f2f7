public import ConnectionCore
import SteadySocket
public import SteadyTransport

/// A transport whose peer is a script: a closure that gets everything the connection does and answers with facts.
///
/// Without a script it records and stays silent. `ScriptedTransport.friendly` opens at once, answers pings and
/// acknowledges closes.
public final class ScriptedTransport: Transport {
    /// Something the connection did.
    public enum Call: Sendable {
        /// Started an attempt.
        case open(ConnectionRequest)
        /// Queued a message. It counts as handed to the network at once, unless the socket is over.
        case send(Message)
        /// Sent a ping.
        case ping
        /// Allowed this many further messages.
        case receive(Int)
        /// Started the closing handshake.
        case close(CloseCode, reason: String)
        /// Tore the connection down.
        case abandon
    }

    /// Called for every call, on the thread of the call, with the socket to answer on.
    public typealias Script = @Sendable (Call, Socket) -> Void

    private let script: Script
    private let all = Locked<[Socket]>([])

    /// Makes a transport that follows `script`.
    public init(_ script: @escaping Script = { _, _ in }) { self.script = script }

    /// The peer everybody wishes for.
    public static var friendly: ScriptedTransport {
        ScriptedTransport { call, socket in
            switch call {
            case .open: socket.report(.opened(OpeningResult()))
            case .ping: socket.report(.pongReceived)
            case .close(let code, let reason):
                socket.report(
                    .closed(
                        TransportClose(
                            .closedByPeer(code), closeCode: code, closeReason: reason, outcome: .acknowledged)))
            case .send, .receive, .abandon: break
            }
        }
    }

    /// The sockets so far, in the order of their attempts.
    public var sockets: [Socket] { all.withLock { $0 } }

    /// How many sockets have not ended.
    public var liveCount: Int { sockets.count { !$0.isOver } }

    /// Starts an attempt.
    public func open(
        _ request: ConnectionRequest, attempt: AttemptID, limits: TransportLimits,
        report: @escaping @Sendable (TransportFact) -> Void
    ) -> any TransportSocket {
        let socket = Socket(attempt: attempt, request: request, script: script, report: report)
        all.withLock { $0.append(socket) }
        socket.call(.open(request))
        return socket
    }

    /// One attempt, as the connection and as the script see it.
    public final class Socket: TransportSocket {
        private struct Inner {
            var calls: [Call] = []
            var isOver = false
            var allowed = 0
        }

        /// The attempt.
        public let attempt: AttemptID
        /// What the connection sent to open it.
        public let request: ConnectionRequest
        private let script: Script
        private let fact: @Sendable (TransportFact) -> Void
        private let inner = Locked(Inner())

        init(
            attempt: AttemptID, request: ConnectionRequest, script: @escaping Script,
            report: @escaping @Sendable (TransportFact) -> Void
        ) {
            self.attempt = attempt
            self.request = request
            self.script = script
            self.fact = report
        }

        /// What the connection did on this socket, in order.
        public var calls: [Call] { inner.withLock { $0.calls } }
        /// Whether its end was reported or it was abandoned.
        public var isOver: Bool { inner.withLock { $0.isOver } }
        /// How many messages may still be reported.
        public var allowed: Int { inner.withLock { $0.allowed } }
        /// The code and reason of the close, nil before it.
        public var closed: (code: CloseCode, reason: String)? {
            for case .close(let code, let reason) in calls { return (code, reason) }
            return nil
        }
        /// How many pings were sent.
        public var pings: Int { calls.count { if case .ping = $0 { true } else { false } } }

        /// Reports a fact, also one that a well-behaved transport would not: late ones, second ends. A message uses up
        /// one that was allowed; reporting more than that is the script's mistake.
        public func report(_ fact: TransportFact) {
            let excess = inner.withLock { inner in
                switch fact {
                case .message:
                    inner.allowed -= 1
                    return inner.allowed < 0
                case .closed:
                    inner.isOver = true
                    return false
                case .opened, .pingReceived, .pongReceived: return false
                }
            }
            precondition(!excess, "the script reported a message that the connection had not allowed")
            self.fact(fact)
        }

        /// See `TransportSocket`.
        public func send(_ message: Message, completion: @escaping @Sendable (ConnectionError?) -> Void) {
            let over = isOver
            call(.send(message))
            completion(over ? ConnectionError(.closed, "the socket is over") : nil)
        }

        /// See `TransportSocket`.
        public func ping() { call(.ping) }

        /// See `TransportSocket`.
        public func receive(_ count: Int) {
            inner.withLock { $0.allowed += count }
            call(.receive(count))
        }

        /// See `TransportSocket`.
        public func close(code: CloseCode, reason: String) { call(.close(code, reason: reason)) }

        /// See `TransportSocket`.
        public func abandon() {
            inner.withLock { $0.isOver = true }
            call(.abandon)
        }

        fileprivate func call(_ call: Call) {
            inner.withLock { $0.calls.append(call) }
            script(call, self)
        }
    }
}
