import Testing

@testable import FleetSimulator

@Suite struct EventQueueTests {
    /// Everything in the queue, in the order it comes out, with the time of each.
    private func drained(_ queue: inout EventQueue) -> [(time: Int64, client: Int, tag: UInt32)] {
        var out: [(time: Int64, client: Int, tag: UInt32)] = []
        while let window = queue.nextWindow() {
            queue.advance(to: window)
            while let event = queue.pop() { out.append((queue.base + event.offset, event.client, event.tag)) }
        }
        return out
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func eventsComeOutInTheOrderOfTimeClientAndTag(seed: UInt64) {
        var generator = FleetGenerator(seed: seed, client: 0, purpose: .world)
        var queue = EventQueue()
        var expected: [(time: Int64, client: Int, tag: UInt32)] = []
        // From within one window to far beyond the two minutes the lists cover, with many at the same instant.
        for number in 0..<5000 {
            let reach: [Double] = [1e6, 1e8, 1e10, 2e11, 1e14]
            let time = Int64(generator.uniform(0, reach[number % reach.count])) / 1000 * 1000
            let client = Int(generator.uniform(0, 50))
            let tag = UInt32(generator.uniform(0, 1000))
            queue.push(at: time, client: client, kind: 1, tag: tag)
            expected.append((time, client, tag))
        }
        expected.sort { ($0.time, $0.client, $0.tag) < ($1.time, $1.client, $1.tag) }
        let got = drained(&queue)
        #expect(got.count == expected.count)
        #expect(zip(got, expected).allSatisfy { $0 == $1 })
        #expect(queue.nextWindow() == nil)
    }

    @Test func whatIsPushedWhileAWindowIsDrainedFindsItsPlace() {
        var queue = EventQueue()
        queue.push(at: 5_000_000, client: 1, kind: 1, tag: 1)
        queue.push(at: 9_000_000, client: 1, kind: 1, tag: 4)
        queue.advance(to: 0)
        #expect(queue.pop()?.tag == 1)
        queue.push(at: 7_000_000, client: 1, kind: 1, tag: 3)
        queue.push(at: 6_000_000, client: 1, kind: 1, tag: 2)
        queue.push(at: 10_000_000, client: 1, kind: 1, tag: 5)
        #expect([queue.pop()?.tag, queue.pop()?.tag, queue.pop()?.tag] == [2, 3, 4])
        #expect(queue.pop() == nil)
        #expect(queue.nextWindow() == 1)
        // What lies in the past happens now.
        queue.advance(to: 1)
        queue.push(at: 3, client: 9, kind: 1, tag: 6)
        let rest = [queue.pop()?.tag, queue.pop()?.tag]
        #expect(Set(rest) == [5, 6] && queue.pop() == nil)
    }

    @Test func aQueueUsesItsMemoryAgain() {
        var queue = EventQueue()
        var generator = FleetGenerator(seed: 1, client: 0, purpose: .world)
        func push(_ count: Int, after now: Int64) {
            for client in 0..<count {
                queue.push(at: now + Int64(generator.uniform(0, 30e9)), client: client, kind: 1, tag: 0)
            }
        }
        push(100_000, after: 0)
        let bytes = queue.bytes
        #expect(bytes < 100_000 * 16 * 5 / 4)
        for round in 1...5 {
            while let window = queue.nextWindow(), window < Int64(round) * 30 * EventQueue.windowsPerSecond {
                queue.advance(to: window)
                while queue.pop() != nil {}
            }
            push(100_000, after: Int64(round) * 30_000_000_000)
        }
        // A window and what is moved from its second come on top.
        #expect(queue.bytes < bytes * 5 / 4)
    }

    @Test func aCrowdedWindowComesOutInOrder() {
        var generator = FleetGenerator(seed: 1, client: 0, purpose: .world)
        var queue = EventQueue()
        var expected: [Int64] = []
        // Half of them at one instant, the last one of the window.
        for client in 0..<3000 {
            let time = client % 2 == 0 ? 19_999_999 : Int64(generator.uniform(10e6, 20e6))
            queue.push(at: time, client: client, kind: 1, tag: 0)
            expected.append(time << 32 | Int64(client))
        }
        queue.advance(to: 1)
        var got: [Int64] = []
        while let event = queue.pop() { got.append((queue.base + event.offset) << 32 | Int64(event.client)) }
        #expect(got == expected.sorted())
    }

    @Test func aQueueSkipsIdleHours() {
        var queue = EventQueue()
        queue.push(at: 36_000_000_000_000, client: 0, kind: 1, tag: 1)
        #expect(queue.nextWindow() == 36_000 * EventQueue.windowsPerSecond)
    }
}
