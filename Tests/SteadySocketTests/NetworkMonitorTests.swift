#if os(Linux)
import ConnectionCore
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import SteadySocket

/// The monitor on the real host, whose path is whatever it is. Changes of a path are in scripts/test-netns.
@Suite(.timeLimit(.minutes(1))) struct NetworkMonitorTests {
    /// Keeps what a monitor reports.
    private final class Recorder: Sendable {
        private let paths = Mutex<[NetworkPath]>([])
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)

        var all: [NetworkPath] { paths.withLock { $0 } }

        func record(_ path: NetworkPath) {
            paths.withLock { $0.append(path) }
            signal.yield()
        }
    }

    @Test func theCurrentPathIsReportedAfterStartAndRestart() async {
        let recorder = Recorder()
        let monitor = RouteNetlinkMonitor()
        monitor.start(recorder.record)
        var signals = recorder.signals.makeAsyncIterator()
        await signals.next()
        monitor.restart()
        await signals.next()
        monitor.stop()
        #expect(recorder.all.count >= 2)
        #expect(!recorder.all.contains(.unknown), "this system does not allow route netlink")
    }

    @Test func everyStartAndRestartBeforeStopIsAnswered() {
        let recorder = Recorder()
        let monitor = RouteNetlinkMonitor()
        monitor.start(recorder.record)
        monitor.restart()
        monitor.restart()
        monitor.stop()
        #expect(recorder.all.count >= 3)
    }

    @Test func aMonitorThatIsNotStartedSaysNothing() {
        let recorder = Recorder()
        let monitor = RouteNetlinkMonitor()
        monitor.restart()
        monitor.stop()
        monitor.start(recorder.record)
        monitor.stop()
        let count = recorder.all.count
        #expect(count >= 1)
        monitor.restart()
        monitor.stop()
        monitor.stop()
        #expect(recorder.all.count == count)
    }

    @Test func aSecondStartReplacesTheReceiver() {
        let first = Recorder()
        let second = Recorder()
        let monitor = RouteNetlinkMonitor()
        monitor.start(first.record)
        monitor.start(second.record)
        monitor.restart()
        monitor.stop()
        #expect(!first.all.isEmpty)
        #expect(second.all.count >= 2)
    }

    @Test func theReceiverMayStop() async {
        let recorder = Recorder()
        let monitor = RouteNetlinkMonitor()
        monitor.start { path in
            monitor.stop()
            recorder.record(path)
        }
        var signals = recorder.signals.makeAsyncIterator()
        await signals.next()
        monitor.restart()
        monitor.stop()
        #expect(recorder.all.count == 1)
    }

    @Test func afterStopNothingIsReported() {
        for _ in 0..<200 {
            let monitor = RouteNetlinkMonitor()
            let shared = Shared()
            monitor.start { _ in
                shared.state.withLock { if $0.isStopped { $0.lateReports += 1 } }
            }
            DispatchQueue.concurrentPerform(iterations: 4) { index in
                guard index == 0 else { return monitor.restart() }
                monitor.stop()
                shared.state.withLock { $0.isStopped = true }
            }
            monitor.restart()
            monitor.stop()
            #expect(shared.state.withLock { $0.lateReports } == 0)
        }
    }

    private final class Shared: Sendable {
        let state = Mutex((isStopped: false, lateReports: 0))
    }

    @Test func descriptorsAreGivenBack() async throws {
        let before = Self.netlinkDescriptors()
        for round in 0..<200 {
            let monitor = RouteNetlinkMonitor()
            monitor.start { _ in }
            // Every second one is only released.
            if round.isMultiple(of: 2) { monitor.stop() }
        }
        // Closing is asynchronous, and other tests of the process may have a few netlink sockets of their own;
        // one left behind per round would be 100 at least. The exact count is taken in scripts/test-netns.
        while Self.netlinkDescriptors() > before + 20 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func aReleasedMonitorIsGone() async throws {
        weak var gone: RouteNetlinkMonitor?
        do {
            let monitor = RouteNetlinkMonitor()
            gone = monitor
            monitor.start { _ in }
        }
        while gone != nil { try await Task.sleep(for: .milliseconds(1)) }
    }

    private static func netlinkDescriptors() -> Int {
        (0..<1024 as Range<Int32>).count { descriptor in
            var domain: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_NETLINK
        }
    }
}
#endif
