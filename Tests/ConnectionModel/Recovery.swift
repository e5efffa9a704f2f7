import ConnectionCore

extension Run {
    /// From here on the world is good: foreground, online, a server that accepts and answers at once. The channel that
    /// is asked for must be open within the longest wait that can be pending now.
    package mutating func recover() throws(Violation) {
        if machine.asked == nil { try handle(.ask(Symbol.Place.a.channel)) }
        try handle(.pathChanged(.online(fingerprint: 7)))
        try handle(.enteredForeground)
        if case .held(.refused) = machine.state, let asked = machine.asked { try handle(.ask(asked)) }
        let latest = now + longestWait()
        var steps = 0
        while true {
            if case .open(let open) = machine.state, open.channel == machine.asked { return }
            guard steps < 64, now <= latest else {
                throw Violation("a good world is used", "\(machine.status) at \(now) ns, due by \(latest)")
            }
            steps += 1
            switch machine.state {
            case .opening(let opening):
                now += 100_000_000
                try handle(.opened(opening.attempt))
            case .closing(let closing):
                now += 100_000_000
                try handle(.ended(closing.attempt, .closedLocally(closing.cause), retryAfter: nil))
            case .open(let open):
                try handle(.frameReceived(open.attempt))
                try perform(.wake(late: 0))
            case .idle, .waiting, .held:
                guard machine.nextDeadline != nil else {
                    throw Violation("a good world is used", "stuck: \(machine.status)")
                }
                try perform(.wake(late: 0))
            }
        }
    }

    /// A close, the longest pause, a token of the budget and an opening, one after the other.
    private func longestWait() -> Int64 {
        let numbers = setting.numbers
        let demanded = machine.asked.flatMap { model.demands[$0.origin]?.latest } ?? now
        let pause = max(numbers.backoff(.max).upperBound, numbers.ceiling, demanded - now)
        return numbers.closing + pause + numbers.tokenEvery + numbers.opening
    }
}
