// What the Foundation of Apple platforms has for app extensions and watchOS, and the Foundation of Linux has not.
public import Foundation

extension NSNotification.Name {
    /// https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nsextensionhostdidenterbackground
    public static var NSExtensionHostDidEnterBackground: NSNotification.Name {
        NSNotification.Name("NSExtensionHostDidEnterBackgroundNotification")
    }
    /// https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nsextensionhostwillenterforeground
    public static var NSExtensionHostWillEnterForeground: NSNotification.Name {
        NSNotification.Name("NSExtensionHostWillEnterForegroundNotification")
    }
    /// https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct/nsextensionhostdidbecomeactive
    public static var NSExtensionHostDidBecomeActive: NSNotification.Name {
        NSNotification.Name("NSExtensionHostDidBecomeActiveNotification")
    }
}

extension ProcessInfo {
    /// https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        _ExpiringActivities.shared.perform(block)
    }
}
