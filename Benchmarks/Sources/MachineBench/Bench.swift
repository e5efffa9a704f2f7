import CAllocationCounter
import SteadySocket
import SteadySocketTestKit

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The life that is measured.
enum Scenario: String, CaseIterable {
    /// Messages on an open socket, 100 per second, with the keepalive between them.
    case messages
    /// An open socket on which nothing happens but pings and their answers.
    case keepalive
    /// A server that cannot be reached: attempts, failures, growing waits.
    case failures
    /// Whole sessions: ask, opening, messages, background and back, path changes, loss and return, another channel, end.
    case sessions
}

/// What a run of a scenario took.
struct Measurement {
    var events: Int
    var nanosecondsPerEvent: Double
    var allocations: UInt64
}

/// Drives one machine through a scenario, as the driver would: every event, then a look at the next deadline.
struct Bench {
    private var machine = ConnectionMachine()
    private var generator = SeededGenerator(seed: 1)
    private var now = Instant(nanoseconds: 0)
    private var count = 0
    private var opens = 0
    private var pings = 0
    private var closes = 0
    private var deadline: Instant?
    private let channels = [
        ChannelID(scheme: "wss", host: "example.com", port: nil, percentEncodedPath: "/a", identity: "anonymous"),
        ChannelID(scheme: "wss", host: "example.com", port: nil, percentEncodedPath: "/a", identity: "user-1"),
    ]

    /// Measures after a warm-up for what is allocated once: metadata and caches of the process, and the machine's room
    /// for the first demand of a server.
    mutating func measure(_ scenario: Scenario, events: Int) -> Measurement {
        run(scenario, events: 10_000)
        end()
        count = 0
        let allocations = allocation_count()
        let start = threadNanoseconds()
        run(scenario, events: events)
        let nanoseconds = threadNanoseconds() - start
        return Measurement(
            events: count, nanosecondsPerEvent: Double(nanoseconds) / Double(count),
            allocations: allocation_count() - allocations)
    }

    /// Handles at least `events` events and checks that the scenario really took place.
    private mutating func run(_ scenario: Scenario, events: Int) {
        let end = count + events
        opens = 0
        pings = 0
        closes = 0
        switch scenario {
        case .messages:
            open()
            while count < end { after(milliseconds: 10, .messageReceived(machine.lastAttempt)) }
            guard pings > 0 else { fail("the scenario messages saw no ping") }
        case .keepalive:
            open()
            while count < end {
                timeReached()
                after(milliseconds: 30, .frameReceived(machine.lastAttempt))
            }
            guard pings > events / 4 else { fail("the scenario keepalive saw \(pings) pings") }
        case .failures:
            handle(.ask(channels[0]))
            while count < end {
                let attempts = opens
                timeReached()
                guard opens > attempts else { continue }
                after(milliseconds: 20, .ended(machine.lastAttempt, .openingFailed(.connect), retryAfter: nil))
            }
            guard opens > events / 4 else { fail("the scenario failures saw \(opens) attempts") }
        case .sessions:
            while count < end { session() }
            guard opens > 0, closes > 0 else { fail("the scenario sessions saw \(opens) attempts, \(closes) closes") }
        }
    }

    private mutating func session() {
        open()
        for _ in 0..<20 { after(milliseconds: 500, .messageReceived(machine.lastAttempt)) }
        handle(.readingPaused(machine.lastAttempt))
        after(milliseconds: 1_000, .readingResumed(machine.lastAttempt))
        after(milliseconds: 1_000, .pathChanged(.online(fingerprint: UInt64(count))))
        after(milliseconds: 30, .frameReceived(machine.lastAttempt))
        after(milliseconds: 1_000, .enteredBackground)
        after(milliseconds: 3_000, .enteredForeground)
        after(milliseconds: 30, .frameReceived(machine.lastAttempt))
        after(milliseconds: 1_000, .enteredBackground)
        timeReached()
        handle(.ended(machine.lastAttempt, .closedByPeer(.goingAway), retryAfter: nil))
        after(milliseconds: 60_000, .enteredForeground)
        finishOpening()
        after(milliseconds: 5_000, .ended(machine.lastAttempt, .closedByPeer(.tryAgainLater), retryAfter: .seconds(20)))
        handle(.pathChanged(.offline))
        after(milliseconds: 90_000, .pathChanged(.online(fingerprint: 1)))
        finishOpening()
        handle(.ask(channels[1]))
        timeReached()
        handle(.ended(machine.lastAttempt, .closedByPeer(.normalClosure), retryAfter: nil))
        finishOpening()
        // A hung peer: the ping goes unanswered, and so does the Close frame.
        for _ in 0..<3 { timeReached() }
        finishOpening()
        end()
    }

    private mutating func end() {
        handle(.disconnect(.disconnected))
        handle(.ended(machine.lastAttempt, .closedByPeer(.normalClosure), retryAfter: nil))
        after(milliseconds: 600_000, .timeReached)
    }

    private mutating func open() {
        handle(.ask(channels[0]))
        finishOpening()
    }

    /// Waits out what must be waited for, and lets the attempt succeed.
    private mutating func finishOpening() {
        if case .waiting = machine.status { timeReached() }
        guard case .opening = machine.status else { fail("no attempt is made: \(machine.status)") }
        after(milliseconds: 50, .opened(machine.lastAttempt))
    }

    private mutating func timeReached() {
        // Past the deadline by a little, as a timer is.
        now.nanoseconds = max(now, deadline ?? now).nanoseconds + 50_000
        handle(.timeReached)
    }

    private mutating func after(milliseconds: Int64, _ event: ConnectionEvent) {
        now.nanoseconds += milliseconds * 1_000_000
        handle(event)
    }

    private mutating func handle(_ event: ConnectionEvent) {
        let actions = machine.handle(event, at: now, using: &generator)
        count += 1
        if actions.open != nil { opens += 1 }
        if actions.ping != nil { pings += 1 }
        if actions.close != nil { closes += 1 }
        deadline = machine.nextDeadline
    }
}

private func threadNanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
}

func fail(_ message: String) -> Never {
    let bytes = Array("MachineBench: \(message)\n".utf8)
    _ = write(2, bytes, bytes.count)
    exit(2)
}
