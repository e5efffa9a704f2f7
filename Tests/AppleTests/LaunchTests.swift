import ConnectionCore
import Dispatch
import Foundation
import SteadySocketTestKit
import Testing
import UIKit

@testable import SteadySocket

extension AppleTests {
    /// Where the app is when a connection is made.
    @MainActor @Suite struct LaunchTests {
        @Test("launched into the background with asks: nothing opens until the foreground, then one socket")
        func backgroundLaunch() throws {
            let rig = AppleRig(launched: .background)
            try rig.ask("wss://example.com/start")
            rig.advance(.seconds(2))
            try rig.ask("wss://example.com/identified")
            rig.advance(.seconds(3600))
            #expect(rig.sockets.isEmpty)
            rig.enterForeground()
            rig.advance(.seconds(1))
            #expect(rig.sockets.map(\.request.url.path) == ["/identified"])
        }

        @Test("a launch that brings didBecomeActive alone opens the socket")
        func nudge() throws {
            let rig = AppleRig(launched: .background)
            try rig.ask()
            rig.application._post(UIApplication.didBecomeActiveNotification, .active, in: rig.center.inner)
            rig.advance(.seconds(2))
            #expect(rig.sockets.count == 1)
        }

        @Test("made before there is an app object: nothing opens before it could be asked", arguments: [true, false])
        func madeEarly(_ inForeground: Bool) async throws {
            let application = UIApplication()
            application._fake.applicationState = inForeground ? .inactive : .background
            let found = Locked<UIApplication?>(nil)
            let rig = AppleRig(app: { center in UIKitApp(center: center) { found.withLock { $0 } } })
            try rig.open()
            rig.advance(.seconds(10))
            #expect(rig.sockets.isEmpty)
            found.withLock { $0 = application }
            await rig.settle()
            rig.advance(.seconds(2))
            #expect(rig.sockets.count == (inForeground ? 1 : 0))
            application._post(UIApplication.didBecomeActiveNotification, .active, in: rig.center.inner)
            rig.advance(.seconds(2))
            application._post(UIApplication.didEnterBackgroundNotification, .background, in: rig.center.inner)
            #expect(rig.sockets.count == 1)
            #expect(application._fake.openTasks == 1)
        }

        @Test("a process without an app object is in the foreground")
        func noApp() async throws {
            let rig = AppleRig(app: { center in UIKitApp(center: center) { nil } })
            await rig.settle()
            try rig.open()
            #expect(rig.sockets.count == 1)
            rig.post(UIApplication.didEnterBackgroundNotification)
            // Nobody to ask for time: this is the last moment.
            #expect(rig.closeCodes == [.goingAway])
        }

        @Test("made on another thread, launched into the background: nothing opens before the main thread was asked")
        func madeElsewhere() async throws {
            for launched in [UIApplication.State.background, .active] {
                let application = UIApplication()
                application._fake.applicationState = launched
                let center = CountingCenter()
                let time = ManualTime()
                let transport = ScriptedTransport.friendly
                let queue = DispatchQueue(label: "connection")
                // Held up here, so that the main thread cannot answer meanwhile.
                let socket = try await withCheckedThrowingContinuation { made in
                    let main = DispatchSemaphore(value: 0)
                    Thread.detachNewThread {
                        var options = Options()
                        options.queue = queue
                        options.transport = transport
                        options.lifecycle = .custom(
                            NotificationLifecycle(UIKitApp(center: center) { application }))
                        options.networkPath = .ignored
                        options.time = time
                        let socket = SteadySocket(options: options)
                        made.resume(
                            with: Result {
                                socket.connect(to: try Channel("wss://example.com/"))
                                queue.sync { time.advance(by: .seconds(10)) }
                                return socket
                            })
                        main.signal()
                    }
                    main.wait()
                }
                #expect(transport.sockets.isEmpty)
                #expect(socket.status == .held(.background))
                await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
                queue.sync { time.advance(by: .seconds(10)) }
                #expect(transport.sockets.count == (launched == .active ? 1 : 0))
                #expect(center.observers == 3)
            }
        }
    }
}
