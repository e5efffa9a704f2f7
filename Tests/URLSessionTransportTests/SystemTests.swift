import Dispatch
import SteadySocket
import Testing

@testable import URLSessionTransport

/// The thin parts that talk to the system, as far as they run here.
@Suite struct SystemTests {
    @Test("the system's scheduler fires, not before its time, whether or not anybody can take it back")
    func fires() async {
        let scheduler = Scheduler.system
        let begin = scheduler.now()
        await wait(until: begin + .milliseconds(20))
        #expect(scheduler.now() - begin >= .milliseconds(20))
    }

    @Test("what was taken back in time does not fire")
    func takenBack() async {
        let scheduler = Scheduler.system
        // On a busy machine the time may come before it is taken back; then the try says nothing.
        for attempt in 1...100 {
            let due = scheduler.now() + .milliseconds(10 * attempt)
            let fired = Recorder<Int>()
            scheduler.schedule(due) { fired.add(1) }()
            guard scheduler.now() < due else { continue }
            await wait(until: due + .milliseconds(5))
            #expect(fired.all.isEmpty)
            return
        }
        Issue.record("100 tries came too late")
    }

    private func wait(until instant: Instant) async {
        await withCheckedContinuation { continuation in
            _ = Scheduler.system.schedule(instant) { continuation.resume() }
        }
    }

    #if os(Linux)
    @Test("the real session ends an attempt here with an error that says what to use instead")
    func realSession() async throws {
        let (facts, continuation) = AsyncStream.makeStream(of: TransportFact.self)
        var socket: (any TransportSocket)? = URLSessionTransport()
            .open(
                try ConnectionRequest("ws://127.0.0.1:9/?token=s3cr3t"), attempt: AttemptID(1),
                limits: TransportLimits()
            ) { fact in
                continuation.yield(fact)
                if case .closed = fact { continuation.finish() }
            }
        weak let gone = socket
        var all: [TransportFact] = []
        for await fact in facts { all.append(fact) }
        guard case .closed(let close) = all.first else {
            Issue.record("\(all)")
            return
        }
        #expect(close.reason == .openingFailed(.connect))
        #expect(close.error?.message.contains("CurlTransport") == true)
        #expect(!"\(close)".contains("s3cr3t"))
        socket?.abandon()
        socket = nil
        // URLSession lets go of the delegate on a queue of its own; the socket does not depend on when.
        #expect(gone == nil)
    }
    #endif
}
