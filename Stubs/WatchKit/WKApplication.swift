// A stand-in for the part of WatchKit that the adapter uses; see Stubs/UIKit/UIApplication.swift.
@_exported public import Foundation

/// https://developer.apple.com/documentation/watchkit/wkapplicationstate
public enum WKApplicationState: Int, Sendable {
    /// https://developer.apple.com/documentation/watchkit/wkapplicationstate/active
    case active = 0
    /// https://developer.apple.com/documentation/watchkit/wkapplicationstate/inactive
    case inactive = 1
    /// https://developer.apple.com/documentation/watchkit/wkapplicationstate/background
    case background = 2
}

/// https://developer.apple.com/documentation/watchkit/wkapplication
@MainActor open class WKApplication: NSObject {
    /// https://developer.apple.com/documentation/watchkit/wkapplication/shared()
    public class func shared() -> WKApplication { _shared }
    private static let _shared = WKApplication()

    /// What `applicationState` is.
    public var _state = WKApplicationState.active

    /// https://developer.apple.com/documentation/watchkit/wkapplication/applicationstate
    public var applicationState: WKApplicationState { _state }

    /// https://developer.apple.com/documentation/watchkit/wkapplication/didenterbackgroundnotification
    public class var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("WKApplicationDidEnterBackgroundNotification")
    }
    /// https://developer.apple.com/documentation/watchkit/wkapplication/willenterforegroundnotification
    public class var willEnterForegroundNotification: NSNotification.Name {
        NSNotification.Name("WKApplicationWillEnterForegroundNotification")
    }
    /// https://developer.apple.com/documentation/watchkit/wkapplication/didbecomeactivenotification
    public class var didBecomeActiveNotification: NSNotification.Name {
        NSNotification.Name("WKApplicationDidBecomeActiveNotification")
    }
}
