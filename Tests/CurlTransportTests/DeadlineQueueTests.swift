#if os(Linux)
import Testing

@testable import CurlTransport

@Suite struct DeadlineQueueTests {
    @Test func deadlinesComeUpInOrderAndNotBeforeTheirTime() {
        var queue = DeadlineQueue()
        let times = (0..<1000).map { UInt64($0 * 7919 % 1000) }
        for (index, time) in times.enumerated() { queue.insert(.init(at: time, owner: .shard(index))) }
        #expect(queue.next == 0)
        #expect(queue.popDue(0)?.at == 0)
        #expect(queue.popDue(0) == nil)
        var order: [UInt64] = []
        while let entry = queue.popDue(499) { order.append(entry.at) }
        #expect(order == Array(1...499))
        while let entry = queue.popDue(.max) { order.append(entry.at) }
        #expect(order == Array(1...999))
        #expect(queue.next == nil)
    }
}
#endif
