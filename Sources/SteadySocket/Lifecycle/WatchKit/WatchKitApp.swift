#if canImport(WatchKit) && canImport(UIKit) && (os(watchOS) || os(Linux))
package import ConnectionCore
package import Foundation
import WatchKit

/// An app on watchOS.
package final class WatchKitApp: PlatformApp {
    package let center: any NotificationSource
    private let asksState: Bool
    private let activity = ExpiringActivity()

    /// Without `asksState`, in an extension, the app object is left alone and the foreground assumed at the start.
    package init(center: any NotificationSource = NotificationCenter.default, asksState: Bool) {
        self.center = center
        self.asksState = asksState
    }

    package var stateUntilKnown: AppState { asksState ? .background : .foreground }

    @MainActor package var signals: [(name: Notification.Name, state: AppState)] {
        [
            (WKApplication.didEnterBackgroundNotification, .background),
            (WKApplication.willEnterForegroundNotification, .foreground),
            (WKApplication.didBecomeActiveNotification, .foreground),
        ]
    }

    @MainActor package func currentState() -> AppState? {
        asksState && WKApplication.shared().applicationState == .background ? .background : .foreground
    }

    package func beginBackgroundTime(expired: @escaping @Sendable () -> Void) { activity.begin(expired: expired) }

    package func endBackgroundTime() { activity.end() }
}
#endif
