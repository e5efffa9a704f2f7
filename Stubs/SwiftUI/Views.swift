/// https://developer.apple.com/documentation/swiftui/text
public struct Text: _Leaf {
    /// https://developer.apple.com/documentation/swiftui/text/init(_:)-9d1g4
    public init<S: StringProtocol>(_ content: S) {}
}

/// https://developer.apple.com/documentation/swiftui/vstack
public struct VStack<Content: View>: _Leaf {
    /// https://developer.apple.com/documentation/swiftui/vstack/init(alignment:spacing:content:), without its first two
    public init(@ViewBuilder content: () -> Content) {}
}

/// https://developer.apple.com/documentation/swiftui/hstack
public struct HStack<Content: View>: _Leaf {
    /// https://developer.apple.com/documentation/swiftui/hstack/init(alignment:spacing:content:), without its first two
    public init(@ViewBuilder content: () -> Content) {}
}

/// https://developer.apple.com/documentation/swiftui/list, without its selection
public struct List<Content: View>: _Leaf {
    /// https://developer.apple.com/documentation/swiftui/list/init(_:rowcontent:)
    public init<Data: RandomAccessCollection>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Content
    ) where Data.Element: Identifiable {}
}

/// https://developer.apple.com/documentation/swiftui/textfield, without its label
public struct TextField: _Leaf {
    /// https://developer.apple.com/documentation/swiftui/textfield/init(_:text:)
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
}

/// https://developer.apple.com/documentation/swiftui/button, without its label
public struct Button: _Leaf {
    /// https://developer.apple.com/documentation/swiftui/button/init(_:action:)
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
}
