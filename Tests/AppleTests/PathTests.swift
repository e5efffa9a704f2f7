import ConnectionCore
import Dispatch
import Network
import SteadySocketTestKit
import Testing
import UIKit

@testable import SteadySocket

extension AppleTests {
    @MainActor @Suite struct PathTests {
        @Test("Wi-Fi to cellular while satisfied: one probe, the socket stays", arguments: Home.allCases)
        func handover(_ home: Home) async throws {
            let rig = AppleRig(home)
            await rig.settle()
            try rig.open()
            try #require(NWPathMonitor._all.live.first)._update(.cellular)
            await rig.settle()
            #expect(rig.sockets[0].pings == 1)
            try #require(NWPathMonitor._all.live.first)._update(.cellular)
            await rig.settle()
            rig.advance(.seconds(5))
            #expect(rig.sockets[0].pings == 1)
            #expect(rig.closeCodes == [nil])
        }

        @Test("a stale offline path after the return: the monitor is made anew and the connection reconnects")
        func staleOffline() async throws {
            let rig = AppleRig(path: NWPath.none)
            await rig.settle()
            rig.advancePath(.seconds(2))
            try rig.ask()
            await rig.settle()
            rig.advance(.seconds(60))
            #expect(rig.sockets.isEmpty)
            rig.enterBackground()
            // The network came back while the process was suspended; the old monitor says nothing of it.
            let old = try #require(NWPathMonitor._all.live.first)
            NWPathMonitor._all._reset(.wifi)
            rig.application._post(UIApplication.willEnterForegroundNotification, .inactive, in: rig.center.inner)
            await rig.settle()
            #expect(old._isCancelled)
            #expect(NWPathMonitor._all.live.count == 1)
            rig.advance(.seconds(1))
            #expect(rig.sockets.count == 1)
        }

        @Test("offline is believed after 1 s without a break")
        func dwell() {
            let watch = PathWatch(.wifi)
            #expect(watch.reports.count == 1)
            watch.update(.none)
            watch.advance(.milliseconds(999))
            #expect(watch.reports.count == 1)
            watch.update(.none)
            watch.advance(.milliseconds(1))
            #expect(watch.reports.count == 2)
            #expect(watch.reports.last == .offline)
            watch.advance(.seconds(60))
            #expect(watch.reports.count == 2)
        }

        @Test("a gap of less than 1 s between two networks is not reported")
        func gap() {
            let watch = PathWatch(.wifi)
            watch.update(.none)
            watch.advance(.milliseconds(900))
            watch.update(.wifi)
            watch.advance(.seconds(60))
            #expect(watch.reports.count == 1)
        }

        @Test("each part of the fingerprint makes another path; the same parts make the same")
        func fingerprint() {
            let tunnel = NWInterface(_type: .other, name: "utun3", index: 17)
            var paths: [NWPath] = [.wifi, .cellular]
            paths.append(NWPath(_status: .satisfied, interfaces: [tunnel] + NWPath.wifi.availableInterfaces))
            paths.append(NWPath(_status: .satisfied, interfaces: NWPath.wifi.availableInterfaces + [tunnel]))
            var path = NWPath.wifi
            path.gateways = [.unix(path: "192.168.1.1")]
            paths.append(path)
            path = .wifi
            path.isExpensive = true
            paths.append(path)
            path = .wifi
            path.isConstrained = true
            paths.append(path)
            let watch = PathWatch(nil)
            for path in paths + paths.reversed() { watch.update(path) }
            #expect(Set(watch.reports).count == paths.count)
            // The last of one half is the first of the other.
            #expect(watch.reports.count == 2 * paths.count - 1)
            #expect(Array(watch.reports.prefix(paths.count)) == Array(watch.reports.suffix(paths.count).reversed()))
        }

        @Test("a path that needs a connection attempt allows it")
        func requiresConnection() {
            let watch = PathWatch(NWPath(_status: .requiresConnection))
            watch.advance(.seconds(5))
            #expect(watch.reports.count == 1)
            #expect(watch.reports.first != .offline)
        }

        @Test("a VPN that flaps 10,000 times: no trap, no timer left, the last word counts")
        func flapping() {
            let watch = PathWatch(.wifi)
            let tunnel = NWInterface(_type: .other, name: "utun3", index: .max)
            let up = NWPath(_status: .satisfied, interfaces: [tunnel] + NWPath.wifi.availableInterfaces)
            for round in 0..<10_000 {
                watch.update([.none, up, .wifi, .none, .cellular][round % 5])
                watch.advance(.milliseconds(10))
                if round % 1000 == 0 { watch.monitor.restart() }
            }
            watch.update(.none)
            watch.advance(.seconds(1))
            #expect(watch.reports.last == .offline)
            watch.monitor.stop()
            #expect(watch.time.armedCount == 0)
            #expect(NWPathMonitor._all.live.isEmpty)
        }

        @Test("restart reports the path even if it is the old one; a cancelled monitor is heard no more")
        func restart() throws {
            let watch = PathWatch(.wifi)
            let old = try #require(NWPathMonitor._all.live.first)
            watch.monitor.restart()
            watch.settle()
            #expect(watch.reports.count == 2)
            #expect(old._isCancelled)
            old._update(.none)
            old._update(.cellular)
            watch.advance(.seconds(5))
            #expect(watch.reports.count == 2)
        }

        @Test("stop: the monitor is cancelled, nothing is reported, and it can be started again")
        func stop() throws {
            let watch = PathWatch(.wifi)
            let old = try #require(NWPathMonitor._all.live.first)
            old._update(.none)
            watch.settle()
            watch.monitor.stop()
            #expect(old._isCancelled)
            #expect(watch.time.armedCount == 0)
            watch.monitor.restart()
            watch.advance(.seconds(5))
            #expect(watch.reports.count == 1)
            #expect(NWPathMonitor._all.live.isEmpty)
            watch.start()
            watch.settle()
            #expect(watch.reports.count == 2)
        }
    }
}

/// A monitor by itself.
@MainActor private final class PathWatch {
    let time = ManualTime()
    let monitor: SystemPathMonitor
    private let queue = DispatchQueue(label: "path")
    private let seen = Locked<[NetworkPath]>([])

    init(_ path: NWPath?) {
        NWPathMonitor._all._reset(path)
        monitor = SystemPathMonitor(time: time, queue: queue)
        start()
        settle()
    }

    var reports: [NetworkPath] { seen.withLock { $0 } }

    func start() { monitor.start { [seen] path in seen.withLock { $0.append(path) } } }
    /// Twice: what runs on the queue may put something there.
    func settle() { for _ in 0..<2 { queue.sync {} } }
    func advance(_ duration: Duration) {
        settle()
        queue.sync { time.advance(by: duration) }
    }
    func update(_ path: NWPath) {
        settle()
        NWPathMonitor._all.live.last?._update(path)
        settle()
    }
}
