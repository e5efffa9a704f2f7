internal import ConnectionCore

extension World {
    /// Lets something of the script happen. What the app and the system do needs a process that runs.
    func happen(_ what: Happening.What) {
        switch what {
        case .ask(let place): whenAwake { self.ask(place) }
        case .disconnect(let code): whenAwake { self.disconnect(code) }
        case .shutDown: whenAwake { self.shutDown() }
        case .send(let waits): whenAwake { self.send(waits: waits) }
        case .reader(let on): whenAwake { self.reader(on: on) }
        case .background: whenAwake { self.app.move(toBackground: true) }
        case .foreground: whenAwake { self.app.move(toBackground: false) }
        case .expire: whenAwake { self.expireBackgroundTime() }
        case .tick: whenAwake { self.wake() }
        case .path(let route): change(to: route)
        case .sleep(let length):
            note("· asleep for \(Happening.seconds(length)) s")
            sleep(length)
        case .jump(let length):
            note("· the clock jumps by \(Happening.seconds(length)) s")
            jump(length)
        case .server(let server):
            note("· \(what)")
            self.server = server
        case .close(let code): newest?.serverCloses(code)
        case .drop: newest?.breaks()
        case .mute:
            note("· mute")
            newest?.mute()
        case .deaf:
            note("· deaf")
            newest?.deafen()
        case .message: newest?.say()
        case .serverPing: newest?.serverPings()
        case .late(let fact): whenAwake { self.sockets.last { $0.isOver }?.lateFact(fact) }
        }
    }

    /// At once, or when the process runs again.
    private func whenAwake(_ happens: @escaping () -> Void) { plan(after: 0, .system, happens) }

    private var newest: WorldSocket? { sockets.last { !$0.isOver } }

    private func change(to route: Happening.Route) {
        guard route != self.route else { return }
        note("· the network is \(route.rawValue)")
        self.route = route
        var draws = dice.sequence(.system, UInt64(bitPattern: now) ^ 1)
        // A connection may survive, or lose every packet from now on.
        if draws.happens(percent: 60) { for socket in sockets where socket.channel.needsNetwork { socket.mute() } }
        // A process that is frozen in the background hears nothing of it, and must look for itself when it returns.
        if isAsleep, !judge.foreground { return }
        plan(after: Int64(draws.below(3)) * Happening.second / 2, .system) { self.monitor.look() }
    }
}
