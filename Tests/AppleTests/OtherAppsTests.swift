import AppKit
import ConnectionCore
import Foundation
import SteadySocket
import SteadySocketTestKit
import SteadyTransport
import Testing
import UIKit
import WatchKit

/// The two places where there is no app object to ask for background time.
enum Elsewhere: CaseIterable {
    case appExtension, watch

    @MainActor func make(_ center: any NotificationSource) -> any PlatformApp {
        switch self {
        case .appExtension: HostingApp(center: center)
        case .watch: WatchKitApp(center: center, asksState: true)
        }
    }

    @MainActor var didEnterBackground: NSNotification.Name {
        switch self {
        case .appExtension: .NSExtensionHostDidEnterBackground
        case .watch: WKApplication.didEnterBackgroundNotification
        }
    }

    @MainActor var willEnterForeground: NSNotification.Name {
        switch self {
        case .appExtension: .NSExtensionHostWillEnterForeground
        case .watch: WKApplication.willEnterForegroundNotification
        }
    }
}

extension AppleTests {
    @MainActor @Suite struct OtherAppsTests {
        @Test(
            "extension and watch: 9 s keep the socket, 11 s close it with 1001, the activity ends with each",
            arguments: Elsewhere.allCases)
        func background(_ elsewhere: Elsewhere) async throws {
            WKApplication.shared()._state = .active
            let rig = AppleRig(app: elsewhere.make)
            try rig.open()
            rig.post(elsewhere.didEnterBackground)
            #expect(_ExpiringActivities.shared.runningCount == 1)
            rig.advance(.seconds(9))
            rig.post(elsewhere.willEnterForeground)
            #expect(rig.sockets[0].pings == 1)
            await activities(0)
            rig.post(elsewhere.didEnterBackground)
            rig.advance(.seconds(11))
            #expect(rig.closeCodes == [.goingAway])
            await activities(0)
            rig.release()
            #expect(rig.center.observers == 0)
        }

        @Test(
            "extension and watch: expiration on a thread of the system, 1001 and the activity over before it returns",
            arguments: Elsewhere.allCases, Home.allCases)
        func expiration(_ elsewhere: Elsewhere, _ home: Home) async throws {
            WKApplication.shared()._state = .active
            let rig = AppleRig(home, transport: .opening, app: elsewhere.make)
            try rig.open()
            rig.post(elsewhere.didEnterBackground)
            rig.advance(.seconds(5))
            #expect(rig.closeCodes == [nil])
            await _ExpiringActivities.shared._expire()
            #expect(rig.closeCodes == [.goingAway])
            await activities(0)
        }

        @Test("extension and watch: no time given, 1001 at once", arguments: Elsewhere.allCases)
        func refused(_ elsewhere: Elsewhere) async throws {
            WKApplication.shared()._state = .active
            _ExpiringActivities.shared.refusesActivities = true
            defer { _ExpiringActivities.shared.refusesActivities = false }
            let rig = AppleRig(transport: .opening, app: elsewhere.make)
            try rig.open()
            rig.post(elsewhere.didEnterBackground)
            await activities(0)
            #expect(rig.closeCodes == [.goingAway])
        }

        @Test("watch: launched into the background, nothing opens until the foreground")
        func watchLaunch() throws {
            WKApplication.shared()._state = .background
            defer { WKApplication.shared()._state = .active }
            let rig = AppleRig(app: Elsewhere.watch.make)
            try rig.open()
            rig.advance(.seconds(60))
            #expect(rig.sockets.isEmpty)
            rig.post(WKApplication.didBecomeActiveNotification)
            rig.advance(.seconds(1))
            #expect(rig.sockets.count == 1)
        }

        @Test(
            "Mac: sleep closes with 1001 before the handler returns, waking opens one socket", arguments: Home.allCases)
        func macSleep(_ home: Home) throws {
            let rig = AppleRig(home, app: AppKitApp.init)
            try rig.open()
            rig.center.inner.post(name: NSWorkspace.willSleepNotification, object: nil)
            #expect(rig.closeCodes == [.goingAway])
            try rig.ask("wss://example.com/other")
            rig.run { rig.time.suspend(for: .seconds(8 * 3600)) }
            #expect(rig.sockets.count == 1)
            rig.post(NSWorkspace.didWakeNotification)
            rig.advance(.seconds(2))
            #expect(rig.closeCodes == [.goingAway, nil])
            rig.release()
            #expect(rig.center.observers == 0)
        }

        @Test("Mac: hiding the app and losing focus are no background")
        func macHidden() throws {
            let rig = AppleRig(app: AppKitApp.init)
            try rig.open()
            rig.post(NSNotification.Name("NSApplicationDidHideNotification"))
            rig.post(NSNotification.Name("NSApplicationDidResignActiveNotification"))
            rig.advance(.seconds(30))
            #expect(rig.closeCodes == [nil])
        }

        /// The activities' blocks return on threads of their own, a moment later.
        private func activities(_ count: Int) async {
            for _ in 0..<2_000 where _ExpiringActivities.shared.runningCount != count {
                try? await Task.sleep(for: .milliseconds(1))
            }
            #expect(_ExpiringActivities.shared.runningCount == count)
        }
    }
}
