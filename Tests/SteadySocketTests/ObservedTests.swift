import Dispatch
import Observation
import SteadySocketTestKit
import Testing

@testable import SteadySocket

@MainActor @Suite struct ObservedTests {
    @Test("the mirror follows the connection, and observers hear of every change")
    func follows() async throws {
        let rig = Rig()
        let socket = try #require(rig.socket)
        let mirror = SteadySocket.Observed(socket)
        #expect(mirror.status == .idle)
        #expect(mirror.counts == ConnectionCounts())
        try rig.open()
        try await until(mirror) { $0.status == .open(AttemptID(1)) && $0.counts.opened == 1 }
        #expect(mirror.counts.ended == 0)
        rig.on { $0.disconnect() }
        try await until(mirror) { $0.status == .idle && $0.counts.ended == 1 }
        #expect(mirror.counts == rig.socket?.counts)
    }

    @Test("a mirror made late starts from what is")
    func late() throws {
        let rig = Rig()
        try rig.open()
        let mirror = SteadySocket.Observed(try #require(rig.socket))
        #expect(mirror.status == .open(AttemptID(1)))
        #expect(mirror.counts.opened == 1)
    }

    @Test("the mirror keeps the connection, and lets it go with itself")
    func released() async throws {
        let rig = Rig()
        try rig.open()
        var mirror: SteadySocket.Observed? = SteadySocket.Observed(try #require(rig.socket))
        rig.release()
        #expect(rig.closeCodes == [nil])
        #expect(mirror?.status == .open(AttemptID(1)))
        weak let gone = mirror
        // Let the task that follows the connection come to its first wait, and once more after the mirror is gone.
        await hop()
        mirror = nil
        await hop()
        rig.queue.sync {}
        #expect(gone == nil)
        #expect(rig.closeCodes == [.normalClosure])
    }

    @Test("counts include attempts that failed")
    func failures() throws {
        let rig = Rig(
            ScriptedTransport { call, socket in
                if case .open = call { socket.report(.closed(TransportClose(.openingFailed(.connect)))) }
            })
        try rig.open()
        #expect(rig.socket?.counts.opened == 0)
        #expect(rig.socket?.counts.ended == 1)
    }

    private func hop() async {
        for _ in 0..<10 { await Task.yield() }
    }

    /// Waits for changes that observation tells of, one after the other; nothing is polled.
    private func until(
        _ mirror: SteadySocket.Observed, _ condition: (SteadySocket.Observed) -> Bool
    ) async throws {
        while !condition(mirror) {
            await withCheckedContinuation { changed in
                withObservationTracking {
                    _ = (mirror.status, mirror.counts)
                } onChange: {
                    changed.resume()
                }
            }
            // Told before the change is made.
            await Task.yield()
        }
    }
}
