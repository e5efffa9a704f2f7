#if canImport(UIKit) || canImport(AppKit) || canImport(WatchKit)
import Foundation
#endif

/// The lifecycle that the platform offers by itself.
enum SystemLifecycle {
    /// One for a new connection; nil where a process has no life of its own.
    static func make() -> (any AppLifecycle)? {
        #if canImport(UIKit) && !os(watchOS)
        NotificationLifecycle(isExtension ? HostingApp() : UIKitApp())
        #elseif canImport(WatchKit) && os(watchOS)
        NotificationLifecycle(WatchKitApp(asksState: !isExtension))
        #elseif canImport(AppKit)
        NotificationLifecycle(AppKitApp())
        #else
        nil
        #endif
    }

    #if canImport(UIKit) || canImport(WatchKit)
    /// Whether this process is an app extension, in which the app object is not there to be asked.
    private static var isExtension: Bool { Bundle.main.bundleURL.pathExtension == "appex" }
    #endif
}
