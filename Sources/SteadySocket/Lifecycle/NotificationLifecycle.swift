#if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
import Dispatch
package import ConnectionCore
package import Foundation

/// Where observers are added and removed: a notification centre, or one that counts.
package protocol NotificationSource: AnyObject, Sendable {
    /// See `NotificationCenter`.
    func addObserver(
        forName name: NSNotification.Name?, object: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol
    /// See `NotificationCenter`.
    func removeObserver(_ observer: Any)
}

extension NotificationCenter: NotificationSource {}

/// What a platform says about the app, and the time it gives in the background.
package protocol PlatformApp: AnyObject, Sendable {
    /// What to assume until it is known where the app is.
    var stateUntilKnown: AppState { get }
    /// Where the notifications are posted.
    var center: any NotificationSource { get }
    /// Which notifications say what.
    @MainActor var signals: [(name: Notification.Name, state: AppState)] { get }
    /// Where the app is; nil if there is no app object, or none yet. Asked after the observers are in place.
    @MainActor func currentState() -> AppState?
    /// See `AppLifecycle`.
    func beginBackgroundTime(expired: @escaping @Sendable () -> Void)
    /// Harmless if there is none to give back.
    func endBackgroundTime()
}

/// A lifecycle that learns of changes by notifications.
///
/// Its observers have no queue: they run on the thread that posts, which is the main thread for all platforms here, before
/// the post returns. With a queue the poster would wait for it, and for `.main` hang on platforms where the wait is not
/// turned into a direct call.
package final class NotificationLifecycle: AppLifecycle {
    private struct Inner {
        var report: (@Sendable (AppState) -> Void)?
        var observers: [any NSObjectProtocol] = []
    }

    private let app: any PlatformApp
    private let inner = Locked(Inner())

    package init(_ app: any PlatformApp) { self.app = app }

    deinit { stop() }

    package func start(_ report: @escaping @Sendable (AppState) -> Void) {
        inner.withLock { $0.report = report }
        if Confinement.main.isCurrent {
            MainActor.assumeIsolated { observe(reported: .foreground) }
        } else {
            let assumed = app.stateUntilKnown
            if assumed != .foreground { report(assumed) }
            DispatchQueue.main.async { [weak self] in
                MainActor.assumeIsolated { self?.observe(reported: assumed) }
            }
        }
    }

    package func stop() {
        let observers = inner.withLock { inner in
            inner.report = nil
            defer { inner.observers = [] }
            return inner.observers
        }
        for observer in observers { app.center.removeObserver(observer) }
        app.endBackgroundTime()
    }

    package func beginBackgroundTime(expired: @escaping @Sendable () -> Void) {
        app.beginBackgroundTime(expired: expired)
    }

    package func endBackgroundTime() { app.endBackgroundTime() }

    @MainActor private func observe(reported: AppState) {
        // Stopped before the main thread came to it.
        guard inner.withLock({ $0.report != nil }) else { return }
        let observers = app.signals.map { signal in
            app.center.addObserver(forName: signal.name, object: nil, queue: nil) { [weak self] _ in
                self?.tell(signal.state)
            }
        }
        let kept = inner.withLock { inner in
            guard inner.report != nil else { return false }
            inner.observers = observers
            return true
        }
        guard kept else {
            for observer in observers { app.center.removeObserver(observer) }
            return
        }
        // The notifications are posted on this thread, so that none can come in between.
        if let state = app.currentState() {
            if state != reported { tell(state) }
            return
        }
        // The initialiser of a SwiftUI app runs before there is an app object; the main queue is served after that.
        if app.stateUntilKnown != reported { tell(app.stateUntilKnown) }
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated {
                guard let self else { return }
                // A process without any app object is always in the foreground.
                self.tell(self.app.currentState() ?? .foreground)
            }
        }
    }

    private func tell(_ state: AppState) { inner.withLock { $0.report }?(state) }
}
#endif
