// A stand-in for the part of UIKit that the adapters use, for tests on Linux. Each declaration names the page that it was
// copied from; what the fakes do is in Fake.swift. Members that begin with an underscore do not exist in UIKit.
@_exported public import Foundation

#if !os(watchOS)
/// https://developer.apple.com/documentation/uikit/uiresponder
@MainActor open class UIResponder: NSObject {}

/// https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier
public struct UIBackgroundTaskIdentifier: Hashable, RawRepresentable, Sendable {
    /// https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier/rawvalue
    public let rawValue: Int
    /// https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier/init(rawvalue:)
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier/invalid
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// https://developer.apple.com/documentation/uikit/uiapplication
@MainActor open class UIApplication: UIResponder {
    /// https://developer.apple.com/documentation/uikit/uiapplication/state
    public enum State: Int, Sendable {
        /// https://developer.apple.com/documentation/uikit/uiapplication/state/active
        case active = 0
        /// https://developer.apple.com/documentation/uikit/uiapplication/state/inactive
        case inactive = 1
        /// https://developer.apple.com/documentation/uikit/uiapplication/state/background
        case background = 2
    }

    /// https://developer.apple.com/documentation/uikit/uiapplication/shared
    @available(iOSApplicationExtension, unavailable)
    @available(tvOSApplicationExtension, unavailable)
    @available(visionOSApplicationExtension, unavailable)
    open class var shared: UIApplication { _shared }
    static let _shared = UIApplication()

    /// The state of the fake.
    public nonisolated let _fake = _Fake()

    /// https://developer.apple.com/documentation/uikit/uiapplication/applicationstate
    open var applicationState: State { _fake.read { $0.state } }

    /// https://developer.apple.com/documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)
    open nonisolated func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        _fake.begin(handler)
    }

    /// https://developer.apple.com/documentation/uikit/uiapplication/endbackgroundtask(_:)
    open nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) { _fake.end(identifier) }

    /// https://developer.apple.com/documentation/uikit/uiapplication/didenterbackgroundnotification
    public nonisolated class var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
    }
    /// https://developer.apple.com/documentation/uikit/uiapplication/willenterforegroundnotification
    public nonisolated class var willEnterForegroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillEnterForegroundNotification")
    }
    /// https://developer.apple.com/documentation/uikit/uiapplication/didbecomeactivenotification
    public nonisolated class var didBecomeActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidBecomeActiveNotification")
    }
    /// https://developer.apple.com/documentation/uikit/uiapplication/willresignactivenotification
    public nonisolated class var willResignActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillResignActiveNotification")
    }
}

/// https://developer.apple.com/documentation/uikit/uiscene
@MainActor open class UIScene: UIResponder {
    /// https://developer.apple.com/documentation/uikit/uiscene/didenterbackgroundnotification
    public nonisolated class var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("UISceneDidEnterBackgroundNotification")
    }
}
#endif
