/// The engine's queue with nothing around it: what the cost of a simulated event is compared with.
package enum BareQueue {
    /// Keeps `pending` events waiting, spread over as many queues as a fleet has shards, and moves `events` of them: each
    /// one taken out puts another in, up to a minute later. Returns a sum that depends on all of them.
    package static func move(_ events: Int, pending: Int, seed: UInt64) -> Int64 {
        let shards = 32
        var generator = FleetGenerator(seed: seed, client: 0, purpose: .world)
        let queues = UnsafeMutablePointer<EventQueue>.allocate(capacity: shards)
        for index in 0..<shards { (queues + index).initialize(to: EventQueue()) }
        defer {
            queues.deinitialize(count: shards)
            queues.deallocate()
        }
        for number in 0..<pending {
            queues[number % shards].push(
                at: Int64(generator.unit() * 60e9), client: number / shards, kind: 1, tag: 0)
        }
        var moved = 0
        var sum: Int64 = 0
        while moved < events, let window = (0..<shards).lazy.compactMap({ queues[$0].nextWindow() }).min() {
            for index in 0..<shards where queues[index].nextWindow() == window {
                queues[index].advance(to: window)
                while let event = queues[index].pop() {
                    moved += 1
                    let time = queues[index].base + event.offset
                    sum &+= time ^ Int64(event.client)
                    queues[index].push(
                        at: time + Int64(generator.unit() * 60e9), client: event.client, kind: 1, tag: 0)
                }
            }
        }
        return sum
    }
}
