import Dispatch
import SteadySocket
import SteadySocketTestKit
import SteadySocketURLSessionTestKit
import Testing

@testable import URLSessionTransport

@Suite struct ThreadTests {
    @Test("complaint 11: calls and callbacks from many threads end once, in order, with every send answered once")
    func contention() throws {
        for round in 0..<50 {
            let bench = try Bench()
            let socket = try #require(bench.socket)
            let task = try bench.task
            let outcomes = Outcomes()
            DispatchQueue.concurrentPerform(iterations: 8) { worker in
                for step in 0..<20 {
                    switch (worker + step) % 5 {
                    case 0: socket.send(.text("x")) { outcomes.add($0) }
                    case 1: socket.ping()
                    case 2: task.delivers(.text("y"))
                    case 3: socket.receive(1)
                    default: if step > 10 && worker == round % 8 { socket.close(code: .normalClosure, reason: "") }
                    }
                }
                if worker == 0 { task.losesConnection() }
            }
            bench.advance(.seconds(5))
            socket.abandon()
            bench.facts.expectInOrder()
            #expect(bench.facts.end != nil)
            #expect(outcomes.all.count == 32)
            #expect(task.invalidations == 1)
            #expect(bench.simulator.census == URLSessionSimulator.Census())
        }
    }

    @Test("the mailbox keeps the order of each thread and runs one piece at a time")
    func mailbox() {
        let mailbox = Mailbox()
        let seen = Recorder<(thread: Int, step: Int)>()
        let running = Locked(0)
        let overlaps = Recorder<Int>()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for step in 0..<500 {
                mailbox.submit {
                    let count = running.withLock { count in
                        count += 1
                        return count
                    }
                    if count > 1 { overlaps.add(count) }
                    seen.add((thread, step))
                    running.withLock { $0 -= 1 }
                }
            }
        }
        #expect(overlaps.all.isEmpty)
        #expect(seen.all.count == 2000)
        for thread in 0..<4 { #expect(seen.all.filter { $0.thread == thread }.map(\.step) == Array(0..<500)) }
    }

    @Test("work handed in from inside waits for its turn, and is done when the call returns")
    func nested() {
        let mailbox = Mailbox()
        let seen = Recorder<String>()
        mailbox.submit {
            seen.add("outer begins")
            mailbox.submit { seen.add("inner") }
            seen.add("outer ends")
        }
        #expect(seen.all == ["outer begins", "outer ends", "inner"])
    }
}
