// A stand-in for the part of SwiftUI that the example uses, to typecheck it on Linux. Nothing here draws. Each declaration
// names the page that it was copied from; members that begin with an underscore do not exist in SwiftUI.

/// https://developer.apple.com/documentation/swiftui/view
@MainActor @preconcurrency public protocol View {
    /// https://developer.apple.com/documentation/swiftui/view/body-swift.associatedtype
    associatedtype Body: View
    /// https://developer.apple.com/documentation/swiftui/view/body-8kl5o
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    /// A view without a body has none to give.
    public var body: Never { fatalError("a stand-in draws nothing") }
}

/// What all views of this module share.
public protocol _Leaf: View where Body == Never {}
extension _Leaf {
    /// None.
    public var body: Never { fatalError("a stand-in draws nothing") }
}

/// https://developer.apple.com/documentation/swiftui/emptyview
public struct EmptyView: _Leaf {
    /// https://developer.apple.com/documentation/swiftui/emptyview/init()
    public nonisolated init() {}
}

/// https://developer.apple.com/documentation/swiftui/tupleview
public struct TupleView<T>: _Leaf {
    /// https://developer.apple.com/documentation/swiftui/tupleview/init(_:)
    public nonisolated init(_ value: T) {}
}

extension Optional: View where Wrapped: View {
    /// None.
    public var body: Never { fatalError("a stand-in draws nothing") }
}

/// https://developer.apple.com/documentation/swiftui/viewbuilder
@resultBuilder public struct ViewBuilder {
    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildblock()
    public static func buildBlock() -> EmptyView { EmptyView() }
    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildblock(_:)
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildblock(_:)
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> {
        TupleView((repeat each content))
    }
    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildif(_:)
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildexpression(_:)
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
}

extension View {
    /// https://developer.apple.com/documentation/swiftui/view/task(priority:_:)
    public func task(
        priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }
    /// https://developer.apple.com/documentation/swiftui/view/disabled(_:)
    public func disabled(_ disabled: Bool) -> some View { self }
    /// https://developer.apple.com/documentation/swiftui/view/padding(_:_:), without its edges and length
    public func padding() -> some View { self }
}
