import ConnectionCore
import Dispatch
import Network
import SteadySocketTestKit
import Testing
import UIKit

@testable import SteadySocket

extension AppleTests {
    @MainActor @Suite struct LeakTests {
        @Test(
            "200 starts and stops leave no observer, task, path monitor, timer or socket behind",
            arguments: Home.allCases)
        func cycles(_ home: Home) async throws {
            NWPathMonitor._all._reset(.wifi)
            let center = CountingCenter()
            let application = UIApplication()
            let time = ManualTime()
            let transport = ScriptedTransport.friendly
            let queue = home == .main ? DispatchQueue.main : DispatchQueue(label: "connections")
            let watch = SharedNetworkPath.Watch { SystemPathMonitor() }
            let apps = WeakList()
            for cycle in 0..<200 {
                application._fake.applicationState = .active
                let app = UIKitApp(center: center) { application }
                apps.add(app)
                var options = Options()
                options.queue = queue
                options.transport = transport
                options.lifecycle = .custom(NotificationLifecycle(app))
                options.networkPath = .monitor(SharedNetworkPath(watch))
                options.time = time
                var socket: SteadySocket? = SteadySocket(options: options)
                #expect(center.observers == 3)
                socket?.connect(to: try Channel("wss://example.com/"))
                await flush(queue) { time.advance(by: .seconds(2)) }
                // Some are released in the background, some in the foreground, some before they opened.
                if cycle % 3 == 0 {
                    application._post(UIApplication.didEnterBackgroundNotification, .background, in: center.inner)
                }
                if cycle % 3 == 1 { socket?.connect(to: try Channel("wss://example.com/other")) }
                socket = nil
                await flush(queue) {}
            }
            await flush(queue) {}
            #expect(center.added == 600)
            #expect(center.observers == 0)
            #expect(application._fake.openTasks == 0)
            #expect(application._fake.strayEnds == 0)
            #expect(transport.sockets.count == 200)
            #expect(transport.liveCount == 0)
            #expect(time.armedCount == 0)
            #expect(NWPathMonitor._all.live.isEmpty)
            // The driver holds its lifecycle, so where this is gone, the driver is.
            #expect(apps.liveCount == 0)
        }

        private func flush(_ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) async {
            await withCheckedContinuation { done in
                queue.async {
                    body()
                    done.resume()
                }
            }
        }
    }
}

@MainActor private final class WeakList {
    private struct Weak { weak var app: UIKitApp? }
    private var apps: [Weak] = []

    var liveCount: Int { apps.count { $0.app != nil } }

    func add(_ app: UIKitApp) { apps.append(Weak(app: app)) }
}
