/// What the connection did that it must not do, or did not do that it must.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// The rule, in words; one of `Judge.rules`.
    package let rule: String
    package let detail: String
    /// When, in nanoseconds since the world began.
    package let at: Int64

    package var description: String { "\(rule): \(detail), at \(Happening.seconds(at)) s" }
}
