import ConnectionCore
import Dispatch
import Foundation
import Network
import SteadySocket
import SteadySocketTestKit
import SteadyTransport
import Testing
import UIKit

extension AppleTests {
    @MainActor @Suite struct UIKitTests {
        @Test("two foreground notifications open one socket", arguments: Home.allCases)
        func foreground(_ home: Home) throws {
            let rig = AppleRig(home)
            rig.enterBackground()
            try rig.ask()
            rig.advance(.seconds(60))
            #expect(rig.sockets.isEmpty)
            #expect(rig.status == .held(.background))
            rig.enterForeground()
            rig.advance(.seconds(1))
            #expect(rig.sockets.count == 1)
            #expect(rig.status == .open(AttemptID(1)))
        }

        @Test("9 s in the background: the socket is kept, and probed on return", arguments: Home.allCases)
        func shortBackground(_ home: Home) throws {
            let rig = AppleRig(home)
            try rig.open()
            rig.enterBackground()
            #expect(rig.fake.openTasks == 1)
            rig.advance(.seconds(9))
            #expect(rig.sockets[0].pings == 0)
            rig.enterForeground()
            #expect(rig.sockets[0].pings == 1)
            #expect(rig.fake.openTasks == 0)
            rig.advance(.seconds(5))
            #expect(rig.closeCodes == [nil])
        }

        @Test(
            "11 s in the background: 1001, and the task ends when the close is acknowledged", arguments: Home.allCases)
        func longBackground(_ home: Home) throws {
            let rig = AppleRig(home, transport: .opening)
            try rig.open()
            rig.enterBackground()
            rig.advance(.seconds(11))
            #expect(rig.closeCodes == [.goingAway])
            #expect(rig.sockets[0].closed?.reason == "background")
            #expect(rig.fake.openTasks == 1)
            rig.run {
                rig.sockets[0].report(.closed(TransportClose(.closedByPeer(.goingAway), outcome: .acknowledged)))
            }
            #expect(rig.fake.openTasks == 0)
            #expect(rig.status == .held(.background))
        }

        @Test("a close that nobody acknowledges: the task ends when the socket is given up")
        func unacknowledged() throws {
            let rig = AppleRig(transport: .opening)
            try rig.open()
            rig.enterBackground()
            rig.advance(.milliseconds(11_900))
            #expect(rig.fake.openTasks == 1)
            rig.advance(.milliseconds(100))
            #expect(rig.fake.openTasks == 0)
            guard case .abandon? = rig.sockets[0].calls.last else {
                Issue.record("the socket was not torn down")
                return
            }
        }

        @Test("expiration at 5 s: 1001 is sent and the task ended before the handler returns", arguments: Home.allCases)
        func expiration(_ home: Home) throws {
            let rig = AppleRig(home, transport: .opening)
            try rig.open()
            rig.enterBackground()
            rig.advance(.seconds(5))
            #expect(rig.fake.openTasks == 1)
            let codesAtTheEnd = Locked<[CloseCode?]>([])
            rig.fake.onEnd = { [transport = rig.transport] in
                codesAtTheEnd.withLock { $0 = transport.sockets.map { $0.closed?.code } }
            }
            // The connection's queue has something else to do first, for a moment; a handler that did not wait for it would
            // have ended the task long before.
            if home == .other { rig.queue.async { Thread.sleep(forTimeInterval: 0.05) } }
            #expect(rig.application._expireTasks() == 0)
            #expect(codesAtTheEnd.withLock { $0 } == [.goingAway])
            #expect(rig.closeCodes == [.goingAway])
            #expect(rig.fake.strayEnds == 0)
        }

        @Test("the task is begun before the notification's handler returns", arguments: Home.allCases)
        func begunAtOnce(_ home: Home) throws {
            let rig = AppleRig(home)
            try rig.open()
            rig.application._post(UIApplication.didEnterBackgroundNotification, .background, in: rig.center.inner)
            #expect(rig.fake.openTasks == 1)
        }

        @Test("no task without a live socket")
        func noSocketNoTask() throws {
            let rig = AppleRig()
            rig.enterBackground()
            rig.enterForeground()
            #expect(rig.fake.begunTasks == 0)
            try rig.ask()
            rig.enterBackground()
            #expect(rig.fake.begunTasks == 0)
        }

        @Test("a refused task (.invalid): 1001 at once, and nothing to end")
        func refusedTask() throws {
            let rig = AppleRig()
            rig.fake.refusesTasks = true
            try rig.open()
            rig.enterBackground()
            #expect(rig.closeCodes == [.goingAway])
            rig.enterForeground()
            rig.advance(.seconds(1))
            #expect(rig.sockets.count == 2)
            #expect(rig.fake.strayEnds == 0)
        }

        @Test("50 trips to the background: never two tasks at a time, each ended once", arguments: Home.allCases)
        func manyTrips(_ home: Home) throws {
            let rig = AppleRig(home)
            try rig.open()
            for trip in 0..<50 {
                rig.enterBackground()
                rig.advance(.seconds(trip % 2 == 0 ? 3 : 11))
                rig.enterForeground()
                rig.advance(.seconds(20))
            }
            #expect(rig.fake.begunTasks == 50)
            #expect(rig.fake.mostTasksAtATime == 1)
            #expect(rig.fake.openTasks == 0)
            #expect(rig.fake.strayEnds == 0)
            #expect(rig.transport.liveCount == 1)
        }

        @Test("a second begin without an end: the first task is ended first")
        func endBeforeBegin() {
            let application = UIApplication()
            let app = UIKitApp(center: CountingCenter()) { application }
            #expect(app.currentState() == .foreground)
            app.beginBackgroundTime {}
            app.beginBackgroundTime {}
            #expect(application._fake.mostTasksAtATime == 1)
            #expect(application._fake.openTasks == 1)
            app.endBackgroundTime()
            app.endBackgroundTime()
            #expect(application._fake.openTasks == 0)
            #expect(application._fake.strayEnds == 0)
        }

        @Test("a handler that does not end its task: the adapter does")
        func neglected() {
            let application = UIApplication()
            let app = UIKitApp(center: CountingCenter()) { application }
            _ = app.currentState()
            app.beginBackgroundTime {}
            #expect(application._expireTasks() == 0)
        }

        @Test("an inactive app is in the foreground")
        func inactive() throws {
            let rig = AppleRig(launched: .inactive)
            try rig.open()
            rig.application._post(UIApplication.willResignActiveNotification, .inactive, in: rig.center.inner)
            rig.advance(.seconds(30))
            #expect(rig.closeCodes == [nil])
            #expect(rig.fake.begunTasks == 0)
        }

        @Test("one of several scenes in the background is not the app in the background")
        func scenes() throws {
            let rig = AppleRig()
            try rig.open()
            rig.post(UIScene.didEnterBackgroundNotification)
            rig.advance(.seconds(30))
            #expect(rig.closeCodes == [nil])
            rig.post(UIScene.didEnterBackgroundNotification)
            rig.enterBackground()
            rig.advance(.seconds(11))
            #expect(rig.closeCodes == [.goingAway])
        }

        @Test(
            "the handle released in the background: 1000, no task, observer or path monitor left",
            arguments: Home.allCases)
        func releasedInBackground(_ home: Home) throws {
            let rig = AppleRig(home)
            try rig.open()
            #expect(rig.center.observers == 3)
            rig.enterBackground()
            rig.release()
            #expect(rig.closeCodes == [.normalClosure])
            #expect(rig.fake.openTasks == 0)
            #expect(rig.center.observers == 0)
            #expect(NWPathMonitor._all.live.isEmpty)
        }

        @Test("the defaults of the facade find the app object and the path")
        func facadeDefaults() throws {
            NWPathMonitor._all._reset(.wifi)
            let application = UIApplication.shared
            application._fake.applicationState = .active
            let time = ManualTime()
            let transport = ScriptedTransport.friendly
            var options = Options()
            options.transport = transport
            options.time = time
            let socket = SteadySocket(options: options)
            socket.connect(to: try Channel("wss://example.com/"))
            time.advance(by: .seconds(2))
            #expect(transport.sockets.count == 1)
            application._post(UIApplication.didEnterBackgroundNotification, .background, in: .default)
            #expect(application._fake.openTasks == 1)
            time.advance(by: .seconds(11))
            #expect(transport.sockets[0].closed?.code == .goingAway)
            #expect(application._fake.openTasks == 0)
        }
    }
}

extension ScriptedTransport {
    /// A peer that opens and answers pings, and says nothing about closes.
    static var opening: ScriptedTransport {
        ScriptedTransport { call, socket in
            switch call {
            case .open: socket.report(.opened(OpeningResult()))
            case .ping: socket.report(.pongReceived)
            case .close, .send, .receive, .abandon: break
            }
        }
    }
}
