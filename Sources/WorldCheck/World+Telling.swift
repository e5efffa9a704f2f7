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
        let status = connection.status
        if status != lastNoted { note("= \(status)") }
        lastNoted = status
        let counts = connection.counts
        judge.require(
            counts.opened == judge.openedCount && counts.ended == judge.endedCount, .counts,
            "\(counts), not \(judge.openedCount) and \(judge.endedCount)")
        judge.afterTelling(status: status, timer: timer, sendsUntil: sends.firstDeadline)
        if isNews { judge.nothingIsOverdue() }
        judge.require(
            unread.count <= Self.messageWindow, .window, "\(unread.count) unread")
    }

    func note(_ line: @autoclosure () -> String) {
        guard let trace else { return }
        let time = Happening.seconds(now)
        trace(String(repeating: " ", count: max(0, 13 - time.count)) + time + "  " + line())
    }

    static func name(_ channel: ChannelID) -> String { names[channel]?.rawValue ?? "?" }

    func ask(_ place: Happening.Place) {
        guard let channel = Self.places[place] else { return }
        tell("ask \(place.rawValue)") {
            self.judge.toldAsk(channel.id)
            self.connection?.connect(to: channel)
        }
    }

    func disconnect(_ code: UInt16?) {
        leave(.disconnected, code.map(CloseCode.init(rawValue:)))
    }

    func shutDown() { leave(.exiting, nil) }

    private func leave(_ cause: LocalCloseCause, _ code: CloseCode?) {
        tell(cause == .exiting ? "shutDown" : "disconnect \(code.map { "\($0.rawValue)" } ?? "")") {
            self.judge.toldDisconnect(cause, wish: code)
            if cause == .exiting { return self.connection?.shutDown() ?? () }
            guard let code else { return self.connection?.disconnect() ?? () }
            do { try self.connection?.disconnect(code: code) } catch { self.judge.object(.wish, "\(error)") }
        }
        judge.require(sends.pending == 0, .disconnectAnswers, "\(sends.pending) messages wait on")
    }

    func send(waits: Int64?) {
        let number = sends.begin(until: waits.map { now + $0 })
        tell("send message \(number)", isNews: false) {
            self.connection?.send(.text(String(number)), whenOpen: waits.map { .nanoseconds($0) }) {
                self.answered(number, $0)
            }
        }
    }

    /// The app learns what became of a message.
    private func answered(_ number: Int, _ error: ConnectionError?) {
        guard let deadline = sends.answer(number) else { return judge.object(.answeredOnce, "message \(number)") }
        guard let error else {
            return judge.require(sends.wasHandedOver(number), .sentIsSent, "message \(number)")
        }
        let isRight =
            switch error.code {
            case .notOpen: deadline == nil && judge.live?.isOpen != true
            case .timedOut: deadline.map { $0 <= now } ?? false
            case .queueFull: deadline != nil && sends.pending >= Self.waitingMessages
            case .closed: judge.asked == nil || sends.wasHandedOver(number)
            default: false
            }
        judge.require(isRight, .refusedSend, "message \(number): \(error)")
    }

    /// The connection writes down what happened.
    func logged(_ entry: LogEntry) {
        guard entry.message == "socket ended" else { return }
        judge.require(
            entry.metadata["reason"] == judge.lastEnd?.description, .cause,
            "logs \(entry.metadata["reason"] ?? "nothing"), not \(judge.lastEnd?.description ?? "anything")")
        judge.lastEnd = nil
    }

    /// The connection hands a message to a socket.
    func handedOver(_ message: Message, on socket: WorldSocket) {
        guard case .text(let text) = message, let number = Int(text) else { return }
        judge.require(
            judge.live?.attempt == socket.attempt && judge.live?.isOpen == true,
            .sendOpen, "message \(number)")
        judge.require(sends.handOver(number), .sendOrder, "message \(number)")
    }

    /// The opening sends what waited for it.
    func noMessageWaits() {
        judge.require(
            unansweredSends == 0, .openingSends, "\(unansweredSends) messages wait on")
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
            judge.require(text == unread.popFirst(), .arrival, "message \(text)")
        }
    }

    func release() {
        note("→ release")
        judge.toldDisconnect(.released)
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
