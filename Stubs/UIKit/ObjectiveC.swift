// What comes with Objective-C and is missing on Linux.

/// https://developer.apple.com/documentation/objectivec/selector
public struct Selector: Hashable, Sendable {
    let name: String
}

/// https://developer.apple.com/documentation/foundation/nsselectorfromstring(_:)
public func NSSelectorFromString(_ aSelectorName: String) -> Selector { Selector(name: aSelectorName) }

#if !os(watchOS)
extension UIApplication {
    /// https://developer.apple.com/documentation/objectivec/nsobjectprotocol/responds(to:)
    public nonisolated class func responds(to aSelector: Selector!) -> Bool { aSelector.name == "sharedApplication" }

    /// https://developer.apple.com/documentation/objectivec/nsobjectprotocol/perform(_:)
    public nonisolated class func perform(_ aSelector: Selector!) -> Unmanaged<AnyObject>! {
        Unmanaged.passUnretained(MainActor.assumeIsolated { _shared })
    }
}
#endif
