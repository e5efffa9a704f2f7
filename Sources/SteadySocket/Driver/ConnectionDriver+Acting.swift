import ConnectionCore
import SteadyTransport

extension ConnectionDriver {
    /// Carries the actions out in the order that `Actions` gives.
    func perform(_ actions: Actions, at now: Instant) {
        if let attempt = actions.abandon { abandon(attempt, at: now) }
        if let open = actions.open { start(open) }
        if let attempt = actions.ping {
            publisher.record(.ping(attempt), at: now)
            live?.socket?.ping()
        }
        if let close = actions.close { startClosing(close, at: now) }
        switch actions.backgroundTime {
        case .begin: lifecycle?.beginBackgroundTime { [weak self] in self?.takeIn(.backgroundTimeExpired) }
        case .end: lifecycle?.endBackgroundTime()
        case nil: break
        }
    }

    private func start(_ open: Actions.Open) {
        let attempt = open.attempt
        live = Live(attempt: attempt)
        switch channel?.source {
        case .fixed(let request): self.open(request, attempt)
        case .provider(let provide):
            live?.provider = Task { [weak self] in
                let result: Result<ConnectionRequest, ConnectionError>
                do {
                    result = .success(try await provide(open.refused ? .refused : .attempt))
                } catch let error as ConnectionError {
                    result = .failure(error)
                } catch {
                    // The description of an unknown error could hold anything, so only its type is kept.
                    result = .failure(
                        ConnectionError(
                            .requestUnavailable, "the request provider failed", underlying: "\(type(of: error))"))
                }
                self?.submit(.request(attempt, result))
            }
        case nil:
            // The machine opens only what was asked for, and an ask sets the channel.
            assertionFailure("an attempt without a channel")
            ended(attempt, TransportClose(.requestUnavailable))
        }
    }

    func requestMade(_ result: Result<ConnectionRequest, ConnectionError>, for attempt: AttemptID) {
        // Closed or replaced while the provider was at work.
        guard live?.attempt == attempt, live?.socket == nil, live?.closing == nil else { return }
        live?.provider = nil
        switch result {
        case .success(let request): open(request, attempt)
        case .failure(let error): ended(attempt, TransportClose(.requestUnavailable, error: error))
        }
    }

    private func open(_ request: ConnectionRequest, _ attempt: AttemptID) {
        let signOfLifeWaits = live?.signOfLifeWaits
        live?.socket = transport.open(request, attempt: attempt, limits: limits) { [weak self] fact in
            switch fact {
            case .pingReceived, .pongReceived:
                let waited = signOfLifeWaits?.withLock { waits in
                    defer { waits = true }
                    return waits
                }
                if waited == true { return }
            case .opened, .message, .closed: break
            }
            self?.submit(.fact(attempt, fact))
        }
    }

    private func startClosing(_ close: Actions.Close, at now: Instant) {
        let code = closeOverride?.code ?? close.code
        publisher.record(.close(close.attempt, code, close.cause), at: now)
        live?.closing = close.cause
        live?.closingSince = now
        live?.isOpen = false
        if let socket = live?.socket {
            socket.close(code: code, reason: closeOverride?.reason ?? close.cause.description)
        } else {
            // The provider was still at work: nothing was sent, so nobody needs to be told.
            live?.provider?.cancel()
            submit(.fact(close.attempt, .closed(TransportClose(.closedLocally(close.cause), outcome: .acknowledged))))
        }
    }

    private func abandon(_ attempt: AttemptID, at now: Instant) {
        guard let gone = live, gone.attempt == attempt else { return }
        live = nil
        gone.socket?.abandon()
        report(
            TransportClose(
                .closedLocally(gone.closing ?? .unresponsive), outcome: .unknown(after: limits.closingHandshake)),
            of: gone, at: now)
    }

    /// The attempt is over: tell the machine, then everybody.
    func ended(_ attempt: AttemptID, _ close: TransportClose) {
        guard let gone = live, gone.attempt == attempt else { return }
        live = nil
        var close = close
        // The first cause wins: what the peer answered to our Close frame is the outcome, not the cause.
        let now = now
        if let cause = gone.closing {
            close.reason = .closedLocally(cause)
            // The end had begun before our close reached the transport, which therefore reports none.
            close.outcome =
                close.outcome
                ?? (close.closeCode == .abnormalClosure ? .unknown(after: now - gone.closingSince) : .acknowledged)
        }
        report(close, of: gone, at: now)
        apply(.ended(attempt, close.reason, retryAfter: close.retryAfter))
    }

    private func report(_ close: TransportClose, of gone: Live, at now: Instant) {
        if gone.wasOpen { lastSocketEnd = now }
        publisher.record(.closed(gone.attempt, close), at: now)
        publisher.publish(.closed(gone.attempt, close))
    }
}
