package import ConnectionCore

/// The numbers of `docs/design.md`, written down once more: the model does not read the configuration it checks.
/// Times are nanoseconds.
package struct Numbers: Hashable, Sendable {
    static let second: Int64 = 1_000_000_000

    let quiet = 3 * second / 2
    let ceiling = 6 * second
    let foreground = second / 4
    let opening = 15 * second
    let closing = 2 * second
    let pingEvery = 40 * second
    let pong = 10 * second
    let probe = 4 * second
    let grace = 10 * second
    let suspended = 2 * second
    let provenAfter = 30 * second
    let longestDemand = 300 * second
    let burst: Int64 = 10
    let tokenEvery = 10 * second
    let networkReturn: ClosedRange<Int64>
    let messageProves: Bool
    let networkReturnStartsOver: Bool
    let wideWindows: Bool

    package static let standard = Numbers(
        networkReturn: second / 4...second / 4, messageProves: true, networkReturnStartsOver: true, wideWindows: false)
    package static let stormSafe = Numbers(
        networkReturn: 0...second, messageProves: false, networkReturnStartsOver: false, wideWindows: true)

    /// How long the n-th failure in a row makes the connection wait.
    func backoff(_ failure: Int) -> ClosedRange<Int64> {
        let ladder: [Int64] = [2, 4, 8, 16, 32, 60]
        let base = ladder[min(max(failure, 1), ladder.count) - 1] * Self.second
        return wideWindows ? 0...min(2 * base, 60 * Self.second) : base * 8 / 10...base * 12 / 10
    }
}

/// The two configurations with their numbers.
package enum Setting: String, CaseIterable, Sendable {
    case standard
    case stormSafe = "storm-safe"

    package var numbers: Numbers {
        switch self {
        case .standard: .standard
        case .stormSafe: .stormSafe
        }
    }

    package var rules: MachineRules {
        switch self {
        case .standard: Self.standardRules
        case .stormSafe: Self.stormSafeRules
        }
    }

    private static let standardRules = MachineRules(.standard)
    private static let stormSafeRules = MachineRules(.stormSafe)
}
