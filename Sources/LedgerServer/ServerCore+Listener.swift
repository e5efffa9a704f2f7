internal import ConnectionCore
internal import Dispatch

// The port. What is wanted is set, and `settle` gets there step by step, because a descriptor can only be closed once
// its source has let go of it.
extension ServerCore {
    enum Listener {
        case none
        /// Bound but not listening: TCP refuses connections, and nobody else can take the port meanwhile.
        case reserved(Int32)
        case listening(Int32, any DispatchSourceRead)
        /// The source is letting go of the descriptor.
        case ending
    }

    enum Wanted {
        case nothing
        case reserved
        case listening
    }

    /// Somebody to tell when something is reached.
    struct Waiter {
        enum Aim {
            /// The port is as wanted.
            case port
            /// The port is given up and no connection is left.
            case stopped
        }

        var aim: Aim
        var resume: @Sendable () -> Void

        init(for aim: Aim, _ resume: @escaping @Sendable () -> Void) {
            self.aim = aim
            self.resume = resume
        }
    }

    func start(port: UInt16) throws(SystemError) -> UInt16 {
        switch wanted {
        case .nothing: break
        case .reserved, .listening: return self.port
        }
        if case .none = listener {
            let descriptor = try Posix.bind(host: options.host, port: port)
            self.port = Posix.port(of: descriptor)
            listener = .reserved(descriptor)
        }
        wanted = .listening
        outage = nil
        do throws(SystemError) {
            try step()
        } catch {
            wanted = .nothing
            settle()
            throw error
        }
        return self.port
    }

    func goDown(_ outage: Outage, ending fate: Fate, for duration: Duration?) {
        guard case .nothing = wanted else {
            self.outage = outage
            outageNumber += 1
            if let duration { schedule(.outageOver(outageNumber), in: duration) }
            switch outage {
            case .unreachable: wanted = .reserved
            case .dropping, .refusing: wanted = .listening
            }
            settle()
            endAll(fate)
            return
        }
    }

    func comeUp() {
        guard case .nothing = wanted else {
            outage = nil
            outageNumber += 1
            wanted = .listening
            settle()
            return
        }
    }

    /// Gives the port up and ends every connection.
    func stop(_ fate: Fate) {
        wanted = .nothing
        outageNumber += 1
        settle()
        endAll(fate)
    }

    private func endAll(_ fate: Fate) {
        for socket in selected(.all) {
            switch (socket.phase, fate) {
            case (.head, .drop), (.waiting, .drop), (.closing, .drop), (.lingering, .drop): socket.drop()
            case (.head, _), (.waiting, _): socket.refuse(Refusal(503, "the server goes down"))
            case (.closing, _), (.lingering, _), (.gone, _): break
            case (.open, _): socket.apply(fate)
            }
            socket.flush()
        }
    }

    /// Takes the port to where it is wanted; what fails is tried again.
    func settle() {
        do throws(SystemError) {
            try step()
        } catch {
            schedule(.acceptAgain, in: .milliseconds(100))
        }
        checkWaiters()
    }

    private func step() throws(SystemError) {
        switch (listener, wanted) {
        case (.ending, _), (.none, .nothing), (.reserved, .reserved):
            break
        case (.none, .reserved), (.none, .listening):
            listener = .reserved(try Posix.bind(host: options.host, port: port))
            try step()
        case (.reserved(let descriptor), .nothing):
            Posix.close(descriptor)
            listener = .none
        case (.reserved(let descriptor), .listening):
            try Posix.listen(descriptor)
            listen(on: descriptor)
        case (.listening(_, let source), .listening):
            if isAcceptPaused {
                isAcceptPaused = false
                source.resume()
            }
        case (.listening(let descriptor, let source), .nothing), (.listening(let descriptor, let source), .reserved):
            // Who has connected already gets an ending like the others, not the reset of a closed listener.
            acceptReady(descriptor, atMost: Posix.backlog)
            if isAcceptPaused { source.resume() }
            isAcceptPaused = false
            listener = .ending
            source.cancel()
        }
    }

    private func listen(on descriptor: Int32) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        // Bounded, so that a storm of connections leaves time for the open ones.
        source.setEventHandler { [unowned self] in acceptReady(descriptor, atMost: 256) }
        source.setCancelHandler {
            Posix.close(descriptor)
            self.listener = .none
            self.settle()
        }
        listener = .listening(descriptor, source)
        source.resume()
    }

    private func acceptReady(_ descriptor: Int32, atMost limit: Int) {
        for _ in 0..<limit {
            switch Posix.accept(descriptor) {
            case .connection(let connection, let peer): add(descriptor: connection, peer: peer)
            case .none: return
            case .exhausted:
                guard case .listening(_, let source) = listener, !isAcceptPaused else { return }
                isAcceptPaused = true
                source.suspend()
                schedule(.acceptAgain, in: .milliseconds(100))
                return
            }
        }
    }

    func await(_ waiter: Waiter) {
        waiters.append(waiter)
        checkWaiters()
    }

    func checkWaiters() {
        guard !waiters.isEmpty else { return }
        let ready = waiters.filter { isReached($0.aim) }
        waiters.removeAll { isReached($0.aim) }
        for waiter in ready { waiter.resume() }
    }

    private func isReached(_ aim: Waiter.Aim) -> Bool {
        switch (aim, listener, wanted) {
        case (.stopped, .none, .nothing): sockets.isEmpty
        case (.stopped, _, _): false
        case (.port, .none, .nothing), (.port, .reserved, .reserved), (.port, .listening, .listening): true
        case (.port, _, _): false
        }
    }
}
