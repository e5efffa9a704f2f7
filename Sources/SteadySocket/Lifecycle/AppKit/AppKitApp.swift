#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
package import ConnectionCore
package import Foundation

/// A process on a Mac. Its windows do not matter, only the machine's sleep, which counts as the background without any
/// grace: the socket is closed with 1001 while there is still a network, and another opens on waking. A Mac that works on
/// behind a dark screen is asleep in this sense, and an app that has its own notion of background drives a
/// `ManualLifecycle`.
package final class AppKitApp: PlatformApp {
    package let center: any NotificationSource

    /// The notifications of sleep are posted in the workspace's own centre, not in the default one.
    package init(center: any NotificationSource = NSWorkspace.shared.notificationCenter) { self.center = center }

    package var stateUntilKnown: AppState { .foreground }

    @MainActor package var signals: [(name: Notification.Name, state: AppState)] {
        [(NSWorkspace.willSleepNotification, .background), (NSWorkspace.didWakeNotification, .foreground)]
    }

    @MainActor package func currentState() -> AppState? { .foreground }

    /// There is none: the machine sleeps as soon as everybody has been told.
    package func beginBackgroundTime(expired: @escaping @Sendable () -> Void) { expired() }

    package func endBackgroundTime() {}
}
#endif
