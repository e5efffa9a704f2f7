#if canImport(UIKit) && !os(watchOS)
package import ConnectionCore
package import Foundation
package import UIKit

/// An app on iOS, iPadOS, tvOS, visionOS or Mac Catalyst.
///
/// The notifications are those of the app, not of its scenes: UIKit posts them whether or not the app uses scenes, see
/// https://developer.apple.com/documentation/uikit/uiapplicationdelegate/applicationdidenterbackground(_:) , and an app
/// with several windows is in the background when the last of them is. An inactive app, below a system alert say, is in
/// the foreground. `didBecomeActive` is a nudge, for a launch that brings no `willEnterForeground`.
package final class UIKitApp: PlatformApp {
    private struct Inner {
        var application: UIApplication?
        var task = UIBackgroundTaskIdentifier.invalid
        /// Counts the tasks, so that the end of an older one is recognised.
        var count = 0
    }

    package let center: any NotificationSource
    private let find: @MainActor @Sendable () -> UIApplication?
    private let inner = Locked(Inner())

    /// `find` gets the app object on the main thread.
    package init(
        center: any NotificationSource = NotificationCenter.default,
        find: @escaping @MainActor @Sendable () -> UIApplication? = { UIApplication.sharedIfAny }
    ) {
        self.center = center
        self.find = find
    }

    /// Nothing opens until it is certain that the app was not launched into the background.
    package var stateUntilKnown: AppState { .background }

    @MainActor package var signals: [(name: Notification.Name, state: AppState)] {
        [
            (UIApplication.didEnterBackgroundNotification, .background),
            (UIApplication.willEnterForegroundNotification, .foreground),
            (UIApplication.didBecomeActiveNotification, .foreground),
        ]
    }

    @MainActor package func currentState() -> AppState? {
        guard let application = find() else { return nil }
        inner.withLock { $0.application = application }
        return application.applicationState == .background ? .background : .foreground
    }

    package func beginBackgroundTime(expired: @escaping @Sendable () -> Void) {
        // Two tasks at a time would leave one whose end nobody remembers, and the system ends the app for it.
        endBackgroundTime()
        let (application, number) = inner.withLock { inner in
            inner.count += 1
            return (inner.application, inner.count)
        }
        guard let application else { return expired() }
        let task = application.beginBackgroundTask(withName: "SteadySocket") { [weak self] in
            self?.expire(number, expired)
        }
        // No time is given: this is the last moment.
        guard task != .invalid else { return expired() }
        inner.withLock { $0.task = task }
    }

    package func endBackgroundTime() {
        let (application, task) = inner.withLock { inner in
            defer { inner.task = .invalid }
            return (inner.application, inner.task)
        }
        guard task != .invalid else { return }
        application?.endBackgroundTask(task)
    }

    /// UIKit calls this on the main thread; the app is suspended, or ended for a task that is still there, when it returns.
    private func expire(_ number: Int, _ expired: @Sendable () -> Void) {
        guard inner.withLock({ $0.count == number }) else { return }
        expired()
        // The connection has done this already, unless it is gone.
        if inner.withLock({ $0.count == number }) { endBackgroundTime() }
    }
}

extension UIApplication {
    /// `UIApplication.shared` where there is one. The name itself is unavailable to code that may be part of an app
    /// extension, as a package's may, so the method is looked up at run time.
    fileprivate static var sharedIfAny: UIApplication? {
        let selector = NSSelectorFromString("sharedApplication")
        guard UIApplication.responds(to: selector) else { return nil }
        return UIApplication.perform(selector)?.takeUnretainedValue() as? UIApplication
    }
}
#endif
