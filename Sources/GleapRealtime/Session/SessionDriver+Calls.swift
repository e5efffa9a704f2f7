#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import SteadySocket

extension SessionDriver {
    // MARK: What waits

    func enqueueIdentify(_ fields: Fields) {
        // An identify that waits to be tried again was not heard yet: the newer one takes its place, and its wait.
        if let waiting = call, waiting.operation == .identify, waiting.request == nil, pendingUpdate == nil {
            call?.fields = Self.newer(fields, than: waiting.fields)
        } else {
            pendingIdentify = Self.newer(fields, than: pendingIdentify)
        }
    }

    func enqueueUpdate(_ fields: Fields) {
        // Behind an identify it belongs to that user.
        if let identify = pendingIdentify {
            pendingIdentify = identify.merging(fields) { $1 }
        } else {
            pendingUpdate = (pendingUpdate ?? [:]).merging(fields) { $1 }
        }
    }

    /// Of the same user the newer fields are added; another user takes the place.
    private static func newer(_ fields: Fields, than older: Fields?) -> Fields {
        guard let older, older["userId"] == fields["userId"] else { return fields }
        return older.merging(fields) { $1 }
    }

    /// Whether the service does not know this yet.
    func changesSomething(_ fields: Fields) -> Bool { fields.contains { told[$0.key] != $0.value } }

    /// Begins the next call, if none is under way.
    func step() {
        guard running, call == nil else { return }
        guard confirmed else {
            if startError == nil { send(Call(operation: .start)) }
            return
        }
        while let next = takePending() {
            if changesSomething(next.fields) { return send(next) }
            publisher.publish(.unchanged(next.operation))
        }
        set(.ready)
    }

    private func takePending() -> Call? {
        if let fields = pendingUpdate {
            pendingUpdate = nil
            return Call(operation: .update, fields: fields)
        }
        guard let fields = pendingIdentify else { return nil }
        pendingIdentify = nil
        return Call(operation: .identify, fields: fields)
    }

    // MARK: One call

    private func send(_ next: Call) {
        var next = next
        next.retryAt = nil
        let request: HTTPRequest
        do throws(GleapError) {
            request = try self.request(for: next)
        } catch {
            call = next
            return giveUp(next, error)
        }
        lastRequest += 1
        let id = lastRequest
        next.request = (id, now + request.timeout, nil)
        call = next
        set(next.operation == .start ? .starting : .asking(next.operation))
        log(.debug, "session request", ["operation": next.operation.rawValue, "attempt": String(next.failures + 1)])
        // A client may answer before it returns; the answer waits its turn in the inbox.
        call?.request?.cancel = http.send(request) { [weak self] in self?.submit(.answer(id, $0)) }
    }

    private func request(for call: Call) throws(GleapError) -> HTTPRequest {
        switch (call.operation, session) {
        case (.start, let stored): try api.start(call.fresh ? nil : stored)
        case (.identify, let session?): try api.identify(call.fields, session)
        case (.update, let session?): try api.update(call.fields, session)
        // The service confirmed a session before any of these was begun.
        case (.identify, nil), (.update, nil): throw GleapError(.missingField, "there is no session yet")
        }
    }

    func timeReached() {
        guard let due = call else { return }
        if let request = due.request, request.deadline <= now {
            request.cancel?()
            answered(.failure(GleapError(.timedOut, "the service did not answer in \(timeoutText)")))
        } else if let retryAt = due.retryAt, retryAt <= now {
            send(due)
        }
    }

    private var timeoutText: String { "\(max(api.configuration.requestTimeout, .milliseconds(1)).inSeconds) s" }

    func answered(_ result: Result<HTTPAnswer, GleapError>) {
        guard var answered = call else { return }
        answered.request = nil
        call = answered
        var retryAfter: Duration?
        do throws(GleapError) {
            let answer = try result.get()
            retryAfter = api.retryAfter(of: answer, now: Date())
            let known = answered.operation == .start ? nil : session
            succeeded(answered, try api.session(in: answer, keeping: known))
        } catch {
            failed(answered, error, retryAfter)
        }
    }

    private func failed(_ failed: Call, _ error: GleapError, _ retryAfter: Duration?) {
        var failed = failed
        failed.failures += 1
        log(
            .info, "session request failed",
            [
                "operation": failed.operation.rawValue, "attempt": String(failed.failures),
                "error": error.code.rawValue,
                "http.status": error.status.map(String.init) ?? "none",
            ])
        guard error.isTransient, failed.failures < api.configuration.maximumAttempts else {
            return giveUp(failed, error)
        }
        let reason: DisconnectReason =
            switch (error.code, error.status) {
            case (.tooManyRequests, let status?), (.serviceFailure, let status?): .openingRefused(status: status)
            default: error.code == .timedOut ? .openingTimedOut : .connectionLost
            }
        let next = ConnectionPolicy.reconnect(
            after: reason, retryAfter: retryAfter, failure: failed.failures, refusals: 0,
            configuration: api.configuration.connection, using: &generator)
        guard case .after(let delay, _, _) = next else { return giveUp(failed, error) }
        let until = now + delay
        failed.retryAt = until
        call = failed
        set(.waiting(failed.operation, error, delay: delay, until: until))
    }

    private func giveUp(_ given: Call, _ error: GleapError) {
        let refused = error.code == .refused || error.code == .rejected
        if given.operation == .start, refused, session != nil, !given.fresh {
            // The stored credentials may be what is refused. Once without; they are kept until that has succeeded.
            log(.info, "stored identity refused")
            return send(Call(operation: .start, fresh: true))
        }
        call = nil
        publisher.publish(.failed(given.operation, error))
        switch given.operation {
        case .start:
            startError = error
            set(.failed(error))
        case .identify where error.code == .rejected:
            // Once: the fresh session is not identified by itself. What was called since then waits for it.
            let (update, identify) = (pendingUpdate, pendingIdentify)
            forget()
            (pendingUpdate, pendingIdentify) = (update, identify)
            step()
        case .identify, .update: step()
        }
    }

    // MARK: What it yields

    private func succeeded(_ done: Call, _ answered: GleapSession) {
        call = nil
        switch done.operation {
        case .start:
            confirmed = true
            let sameUser = answered.userID == nil || answered.fields["userId"] == told["userId"]
            if session?.gleapID != answered.gleapID || !sameUser { told = [:] }
        case .identify:
            let sameUser = told["userId"] == nil || told["userId"] == done.fields["userId"]
            told = sameUser ? told.merging(done.fields) { $1 } : done.fields
        case .update: told.merge(done.fields) { $1 }
        }
        var fields = answered.fields
        if answered.userID == nil, let user = told["userId"] { fields["userId"] = user }
        let adopted = GleapSession(gleapID: answered.gleapID, gleapHash: answered.gleapHash, fields: fields)
        session = adopted
        save()
        log(.info, "session answered", ["operation": done.operation.rawValue, "user": String(adopted.userID != nil)])
        publisher.set(session: adopted)
        publisher.publish(.answered(done.operation, adopted))
        want()
        step()
    }
}
