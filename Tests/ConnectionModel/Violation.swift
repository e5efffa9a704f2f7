/// What the machine did that it must not do, or did not do that it must.
package struct Violation: Error, Hashable, CustomStringConvertible {
    /// `model`, or the name of the invariant.
    package var rule: String
    package var detail: String

    package init(_ rule: String, _ detail: String) {
        self.rule = rule
        self.detail = detail
    }

    package var description: String { "\(rule): \(detail)" }
}
