internal import ConnectionCore
internal import SteadySocket
internal import SteadyTransport

/// What the connection is told, and what it is seen to do.
extension World {
    /// Hands something to the connection and looks at what it made of it.
    ///
    /// - Parameter isNews: whether it concerns the life of the socket, so that what is overdue is dealt with too.
    func tell(_ what: @autoclosure () -> String, isNews: Bool = true, _ telling: () -> Void) {
        note("→ \(what())")
        if excuseDue, now >= asleepUntil {
            excuseDue = false
            judge.woke()
        }
        depth += 1
        telling()
        depth -= 1
        // The connection is in the middle of something.
        guard depth == 0 else { return }
        if readerOn { read() }
        if let socket = sockets.last { judge.readingIs(heldUp: socket.allowed == 0, socket.attempt) }
        look(isNews: isNews)
    }

    private func look(isNews: Bool) {
        guard let connection else { return }
        judge.afterTelling(status: connection.status, timer: timer, sendsUntil: sends.firstDeadline)
        if isNews { judge.nothingIsOverdue() }
        judge.require(
            unread.count <= Self.messageWindow, "no more messages than the window", "\(unread.count) unread")
    }

    func note(_ line: @autoclosure () -> String) {
        guard trace != nil else { return }
        let time = Happening.seconds(now)
        trace?.append(String(repeating: " ", count: max(0, 12 - time.count)) + time + "  " + line())
    }

    static func name(_ channel: ChannelID) -> String { names[channel]?.rawValue ?? "?" }

    func ask(_ place: Happening.Place) {
        guard let channel = Self.places[place] else { return }
        tell("ask \(place.rawValue)") {
            self.judge.toldAsk(channel.id)
            self.connection?.connect(to: channel)
        }
    }

    func disconnect(exiting: Bool) {
        tell(exiting ? "shutDown" : "disconnect") {
            self.judge.toldDisconnect(exiting: exiting)
            if exiting { self.connection?.shutDown() } else { self.connection?.disconnect() }
        }
    }

    func send(waits: Int64?) {
        let number = sends.begin(until: waits.map { now + $0 })
        tell("send message \(number)", isNews: false) {
            self.connection?.send(.text(String(number)), whenOpen: waits.map { .nanoseconds($0) }) { _ in
                if !self.sends.complete(number) {
                    self.judge.object("every message is answered once", "message \(number) twice")
                }
            }
        }
    }

    /// The connection hands a message to a socket.
    func handedOver(_ message: Message, on socket: WorldSocket) {
        guard case .text(let text) = message, let number = Int(text) else { return }
        judge.require(
            judge.live?.attempt == socket.attempt && judge.live?.isOpen == true,
            "messages go out on the open socket", "message \(number)")
        judge.require(sends.handOver(number), "messages keep their order", "message \(number)")
    }

    /// The opening sends what waited for it.
    func noMessageWaits() {
        judge.require(
            unansweredSends == 0, "an opening sends what waits", "\(unansweredSends) messages wait on")
    }

    var unansweredSends: Int { sends.pending }
    var handedOver: Int { sends.lastHandedOver }

    func reader(on: Bool) {
        readerOn = on
        guard on else { return }
        tell("reading", isNews: false) {}
    }

    private func read() {
        while let message = messages?.takeArrived() {
            guard case .text(let text) = message else { continue }
            judge.require(text == unread.popFirst(), "messages arrive in order, each once", "message \(text)")
        }
    }

    func release() {
        note("→ release")
        judge.toldDisconnect(exiting: false)
        // What the end of the two sets off looks at this world.
        let last = (messages, connection)
        messages = nil
        connection = nil
        withExtendedLifetime(last) {}
    }

    /// What the connection lets be seen, to tell that nothing changed.
    struct Snapshot: Equatable {
        var status: ConnectionStatus?
        var timer: Int64?
        var counts: ConnectionCounts?
        var unread: Int
    }

    var snapshot: Snapshot {
        Snapshot(status: connection?.status, timer: timer, counts: connection?.counts, unread: unread.count)
    }

    /// Lets go of everything that refers to the world, also if a broken rule has stopped it halfway.
    func dismantle() {
        let last = (agenda, sockets, messages, connection, fire)
        (agenda, sockets, messages, connection, fire) = ([], [], nil, nil, nil)
        for socket in last.1 { socket.cut() }
    }
}
