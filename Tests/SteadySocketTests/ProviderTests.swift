import SteadySocket
import SteadySocketTestKit
import Testing

@Suite struct ProviderTests {
    /// Waits for what a task outside the queue brings about; the watchdog is the test run's own.
    private func settle(_ rig: Rig, until condition: () -> Bool) async {
        while !rig.run(condition) { await Task.yield() }
    }

    @Test("a refusal asks the provider for fresh credentials once, then stops until the next ask")
    func refresh() async throws {
        let rig = Rig(
            ScriptedTransport { call, socket in
                if case .open = call { socket.report(.closed(TransportClose(.openingRefused(status: 403)))) }
            })
        let reasons = Recorder<Channel.RequestReason>()
        let channel = Channel(identity: "mary") { reason in
            reasons.add(reason)
            return try ConnectionRequest("wss://example.com/?token=secret")
        }
        rig.on { $0.connect(to: channel) }
        rig.advance(.seconds(2))
        await settle(rig) { rig.sockets.count == 1 && rig.transport.liveCount == 0 }
        rig.advance(.seconds(3))
        await settle(rig) { rig.sockets.count == 2 && rig.transport.liveCount == 0 }
        rig.advance(.seconds(3600))
        #expect(rig.status == .held(.refused(.openingRefused(status: 403))))
        #expect(rig.status?.description == "stopped: HTTP 403")
        rig.on { $0.connect(to: channel) }
        rig.advance(.seconds(2))
        await settle(rig) { rig.sockets.count == 3 }
        #expect(reasons.all == [.attempt, .refused, .refused])
    }

    @Test("a provider that fails counts as a failed attempt; its error is kept without its text")
    func failure() async throws {
        struct Secret: Error { let token = "hunter2" }
        let rig = Rig()
        let channel = Channel(identity: "mary") { _ in throw Secret() }
        rig.on { $0.connect(to: channel) }
        rig.advance(.seconds(2))
        await settle(rig) { if case .waiting = rig.status { true } else { false } }
        #expect(rig.sockets.isEmpty)
        let log = rig.socket?.decisions.map(\.description).joined(separator: "\n") ?? ""
        #expect(log.contains("request provider failed"))
        #expect(!log.contains("hunter2"))
    }

    @Test("a disconnect while the provider is at work opens nothing")
    func disconnectMeanwhile() async throws {
        let rig = Rig()
        let gate = AsyncStream<Void>.makeStream()
        let done = AsyncStream<Void>.makeStream()
        let channel = Channel(identity: "mary") { _ in
            for await _ in gate.stream { break }
            done.continuation.finish()
            return try ConnectionRequest("wss://example.com/")
        }
        rig.on { $0.connect(to: channel) }
        rig.advance(.seconds(2))
        rig.on { $0.disconnect() }
        #expect(rig.status == .idle)
        gate.continuation.finish()
        for await _ in done.stream {}
        rig.advance(.seconds(1))
        #expect(rig.sockets.isEmpty)
    }
}
