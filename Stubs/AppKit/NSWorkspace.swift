// A stand-in for the part of AppKit that the adapter uses; see Stubs/UIKit/UIApplication.swift.
@_exported public import Foundation

/// https://developer.apple.com/documentation/appkit/nsworkspace
open class NSWorkspace: NSObject {
    /// https://developer.apple.com/documentation/appkit/nsworkspace/shared
    open class var shared: NSWorkspace { _shared }
    private nonisolated(unsafe) static let _shared = NSWorkspace()

    private let center = NotificationCenter()

    /// https://developer.apple.com/documentation/appkit/nsworkspace/notificationcenter
    open var notificationCenter: NotificationCenter { center }

    /// https://developer.apple.com/documentation/appkit/nsworkspace/willsleepnotification
    public class var willSleepNotification: NSNotification.Name {
        NSNotification.Name("NSWorkspaceWillSleepNotification")
    }
    /// https://developer.apple.com/documentation/appkit/nsworkspace/didwakenotification
    public class var didWakeNotification: NSNotification.Name {
        NSNotification.Name("NSWorkspaceDidWakeNotification")
    }
}
