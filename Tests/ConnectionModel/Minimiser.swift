/// Makes a script that fails shorter while it still breaks the same rule.
package enum Minimiser {
    package typealias Check = ([Step]) -> (step: Int, violation: Violation)?

    /// nil if the script does not fail at all.
    package static func shortest(_ steps: [Step], _ check: Check) -> (steps: [Step], violation: Violation)? {
        guard let first = check(steps) else { return nil }
        var best = Array(steps[...first.step])
        var violation = first.violation
        var chunk = max(1, best.count / 2)
        while true {
            var index = 0
            while index < best.count {
                var candidate = best
                candidate.removeSubrange(index..<min(index + chunk, best.count))
                if let found = check(candidate), found.violation.rule == violation.rule {
                    best = Array(candidate[...found.step])
                    violation = found.violation
                } else {
                    index += chunk
                }
            }
            guard chunk > 1 else { return (best, violation) }
            chunk /= 2
        }
    }
}
