import Glibc
import SteadySocket
import SteadySocketTestKit
import Testing

@Suite struct DayTests {
    /// The processor time of this thread in nanoseconds; `queue.sync` runs on it.
    private var processorTime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    @Test("24 quiet hours: one socket, a ping every 40 s")
    func quietDay() throws {
        let rig = Rig()
        try rig.open()
        rig.advance(.seconds(86_400))
        #expect(rig.sockets.count == 1)
        #expect(rig.sockets[0].pings == 86_400 / 40)
        #expect(rig.status == .open(AttemptID(1)))
    }

    @Test("24 hours of lifecycle and failures keep every rule, in under a second of processor time", arguments: 1...5)
    func busyDay(seed: UInt64) throws {
        let start = processorTime
        let faults = Recorder<String>()
        let rig = Rig(peer(seed: seed))
        var generator = SeededGenerator(seed: seed)
        var users = 0
        try rig.ask("wss://example.com/?user=0")
        let end = Instant.zero + .seconds(86_400)
        while rig.time.now < end {
            rig.advance(.milliseconds(Int64.random(in: 1...120_000, using: &generator)))
            switch Int.random(in: 0..<12, using: &generator) {
            case 0, 1: rig.run { rig.lifecycle.state = .background }
            case 2, 3, 4: rig.run { rig.lifecycle.state = .foreground }
            case 5: rig.run { rig.path.path = .offline }
            case 6, 7: rig.run { rig.path.path = .online(fingerprint: UInt64.random(in: 1...3, using: &generator)) }
            case 8:
                users += 1
                try rig.ask("wss://example.com/?user=\(users)")
            case 9: rig.run { rig.sockets.last { !$0.isOver }?.report(.closed(TransportClose(.connectionLost))) }
            case 10: rig.run { rig.time.suspend(for: .seconds(600)) }
            default: break
            }
            check(rig, faults)
        }
        // The world turns good: the asked channel opens.
        rig.run {
            rig.lifecycle.state = .foreground
            rig.path.path = .online(fingerprint: 1)
        }
        var isOpen = false
        for _ in 0..<200 where !isOpen {
            rig.advance(.seconds(10))
            if case .open = rig.status { isOpen = true }
        }
        #expect(isOpen)
        rig.release()
        rig.advance(.seconds(5))
        #expect(rig.transport.liveCount == 0)
        #expect(rig.time.armedCount == 0)
        #expect(faults.all == [])
        #expect(rig.sockets.count > 50)
        #expect(processorTime - start < 1_000_000_000)
    }

    /// A peer that mostly behaves: one attempt in eight fails, one ping in fifty goes unanswered.
    private func peer(seed: UInt64) -> ScriptedTransport {
        let dice = Dice(seed: seed &+ 1000)
        return ScriptedTransport { call, socket in
            switch call {
            case .open:
                switch dice.roll(8) {
                case 0: socket.report(.closed(TransportClose(.openingRefused(status: 503), retryAfter: .seconds(7))))
                case 1: break
                default: socket.report(.opened(OpeningResult()))
                }
            case .ping: if dice.roll(50) != 0 { socket.report(.pongReceived) }
            case .close(let code, _):
                if dice.roll(5) != 0 {
                    socket.report(.closed(TransportClose(.closedByPeer(code), outcome: .acknowledged)))
                }
            case .send, .receive, .abandon: break
            }
        }
    }

    private func check(_ rig: Rig, _ faults: Recorder<String>) {
        if rig.transport.liveCount > 1 { faults.add("\(rig.transport.liveCount) sockets at \(rig.time.now)") }
        for socket in rig.sockets where socket.isOver {
            let abandoned = socket.calls.contains { if case .abandon = $0 { true } else { false } }
            if abandoned, socket.closed == nil { faults.add("\(socket.attempt) abandoned without a Close frame") }
        }
        if let code = rig.sockets.last?.closed?.code, code != .normalClosure, code != .goingAway {
            faults.add("closed with \(code)")
        }
        if rig.status?.description.isEmpty ?? true { faults.add("no status") }
    }
}

/// Numbers for a script that is called from anywhere.
///
/// `@unchecked Sendable` holds because scripts of a rig run on its queue only.
private final class Dice: @unchecked Sendable {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &generator) }
}
