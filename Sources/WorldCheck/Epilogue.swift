internal import ConnectionCore
internal import SteadySocket

/// What comes after every script: the world turns good, and the connection must make use of it.
extension World {
    /// From the moment the world is good to the open socket of the channel that is asked for, unless a server demanded to
    /// be left alone for longer: a silent peer is noticed (40 s ping, 10 s pong, twice 2 s of late wake-ups), closed
    /// (2 s), the longest backoff passes (72 s), a token of the budget comes (10 s) and the opening takes its time (15 s).
    static let recoveryBound =
        Judge.silenceNoticed + Judge.closingTime + 72 * Judge.second + Judge.tokenEvery + Judge.openingTime

    /// No frame is on its way for longer.
    private static let longestFlight = 4 * Judge.second

    func finish() {
        // Now and then the app lets go in the middle of a bad world.
        if dice.below(10, .ending, 1) == 0 { return letGo() }
        let steps: [(String, () -> Void)] = [
            ("the world turns good", recover), ("nothing happens", stay), ("the app goes away", rest),
            ("the app returns", comeBack), ("the end", end),
        ]
        for (name, step) in steps where judge.violation == nil {
            note("· \(name)")
            step()
        }
    }

    private var statusText: String { connection.map { "\($0.status)" } ?? "released" }

    private var isServed: Bool {
        guard let live = judge.live, live.isOpen, live.channel == judge.asked else { return false }
        return sockets.last?.attempt == live.attempt && sockets.last?.isCutOff == false
    }

    private func recover() {
        good = true
        server = .up
        route = .wifi
        // The return to the foreground makes the connection look at the path by itself.
        if judge.foreground { monitor.look() } else { app.move(toBackground: false) }
        if judge.asked == nil { ask(.a) }
        reader(on: true)
        expectService(within: Self.recoveryBound, .goodWorld)
    }

    private func expectService(within bound: Int64, _ rule: Rule) {
        let began = now
        // What is on its way arrives.
        run(until: now + Self.longestFlight)
        // A refusal ends with the next ask; the app makes one.
        if judge.refusals >= 2, let asked = judge.asked, let place = Self.places.first(where: { $1.id == asked })?.key {
            ask(place)
        }
        let demanded = judge.asked.flatMap { judge.demands[$0.origin]?.latest } ?? 0
        let latest = max(began + bound, demanded + Judge.tokenEvery + Judge.openingTime)
        run(until: latest) { self.isServed }
        judge.require(
            isServed, rule, "\(statusText) after \(Happening.seconds(bound)) s")
    }

    /// Five pings, a message each way, and nothing else.
    private func stay() {
        let attempt = judge.live?.attempt
        let sent = handedOver
        sockets.last?.say()
        send(waits: nil)
        run(until: now + 5 * Judge.pingEvery + Judge.second)
        judge.require(
            isServed && judge.live?.attempt == attempt, .stays,
            statusText)
        judge.require(
            sent < handedOver && judge.live?.messageCame == true && unread.count == 0,
            .carries,
            "attempt \(attempt?.number ?? 0)")
    }

    /// The app goes to the background and the system gives it all the time it asks for.
    private func rest() {
        let seen = closesSeen.count
        generous = true
        app.move(toBackground: true)
        run(until: now + Judge.grace + 2 * Judge.lateIsAsleep + Judge.closingTime)
        judge.require(
            Array(closesSeen[seen...]) == [1001], .learnsBackground,
            "it saw \(closesSeen[seen...].map(String.init).joined(separator: ", "))")
        judge.require(
            judge.live == nil && !judge.holdsTime && timer == nil, .backgroundQuiet,
            statusText)
    }

    private func comeBack() {
        app.move(toBackground: false)
        expectService(
            within: Judge.second / 4 + Judge.lateIsAsleep + Judge.tokenEvery + Judge.openingTime,
            .foreground)
    }

    /// The app disconnects and lets go, or just lets go.
    private func end() {
        let seen = closesSeen.count
        if dice.below(2, .ending) == 0 {
            disconnect(nil)
            run(until: now + Judge.closingTime + Judge.lateIsAsleep)
            judge.require(
                connection?.status == .idle && timer == nil, .nothingLeft,
                statusText)
        }
        letGo()
        judge.require(
            Array(closesSeen[seen...]) == [1000], .learnsEnd,
            "it saw \(closesSeen[seen...].map(String.init).joined(separator: ", "))")
    }

    private func letGo() {
        release()
        run(until: now + Judge.closingTime + Judge.lateIsAsleep)
        judge.require(
            judge.live == nil && timer == nil && !app.isStarted && !monitor.isStarted && !judge.holdsTime,
            .letsGo,
            "socket \(judge.live != nil), timer \(timer != nil), app \(app.isStarted), path \(monitor.isStarted)")
        judge.require(unansweredSends == 0, .answered, "\(unansweredSends) are not")
    }
}
