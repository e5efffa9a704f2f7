import SteadySocketTestKit
import Testing

@testable import SteadySocket

@Suite struct NetworkSharedPathTests {
    private let system = ManualNetworkPath(.online(fingerprint: 7))
    private let made = Recorder<Int>()

    private func watch() -> SharedNetworkPath.Watch {
        SharedNetworkPath.Watch { [system, made] in
            made.add(1)
            return system
        }
    }

    /// Waits for what another queue brings about.
    private func settle(until condition: () -> Bool) async { while !condition() { await Task.yield() } }

    @Test("many connections share one watch; each hears the current path and every change")
    func sharing() async {
        let watch = watch()
        let paths = (0..<50).map { _ in SharedNetworkPath(watch) }
        let heard = Recorder<NetworkPath>()
        for path in paths { path.start { heard.add($0) } }
        await settle { heard.all.count == 50 }
        system.path = .offline
        await settle { heard.all.count == 100 }
        #expect(heard.all.count { $0 == .offline } == 50)
        #expect(made.all.count == 1)
        for path in paths { path.stop() }
        #expect(!system.isStarted)
    }

    @Test("after stop nothing is heard; the next start watches anew")
    func restarting() async {
        let watch = watch()
        let path = SharedNetworkPath(watch)
        let heard = Recorder<NetworkPath>()
        path.start { heard.add($0) }
        await settle { heard.all.count == 1 }
        path.stop()
        system.path = .offline
        #expect(heard.all == [.online(fingerprint: 7)])
        path.start { heard.add($0) }
        await settle { heard.all.count == 2 }
        #expect(heard.all.last == .offline)
        #expect(made.all.count == 2)
    }

    @Test("restart asks the one watch; a released connection listens no more")
    func release() async {
        let watch = watch()
        var path: SharedNetworkPath? = SharedNetworkPath(watch)
        let heard = Recorder<NetworkPath>()
        path?.start { heard.add($0) }
        await settle { heard.all.count == 1 }
        path?.restart()
        await settle { heard.all.count == 2 }
        #expect(system.restarts == 1)
        path = nil
        #expect(!system.isStarted)
    }
}
