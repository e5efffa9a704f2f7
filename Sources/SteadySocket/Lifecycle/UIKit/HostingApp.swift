#if canImport(UIKit) && !os(watchOS)
package import ConnectionCore
package import Foundation
import UIKit

/// The app that hosts this app extension. An extension cannot ask for the state; it runs when its host shows it.
package final class HostingApp: PlatformApp {
    package let center: any NotificationSource
    private let activity = ExpiringActivity()

    package init(center: any NotificationSource = NotificationCenter.default) { self.center = center }

    package var stateUntilKnown: AppState { .foreground }

    @MainActor package var signals: [(name: Notification.Name, state: AppState)] {
        [
            (.NSExtensionHostDidEnterBackground, .background),
            (.NSExtensionHostWillEnterForeground, .foreground),
            (.NSExtensionHostDidBecomeActive, .foreground),
        ]
    }

    @MainActor package func currentState() -> AppState? { .foreground }

    package func beginBackgroundTime(expired: @escaping @Sendable () -> Void) { activity.begin(expired: expired) }

    package func endBackgroundTime() { activity.end() }
}
#endif
