/// A token bucket over all attempts, whatever triggered them, so that no chain of resets can defeat the backoff.
public struct ConnectBudget: Hashable, Sendable {
    /// How many attempts may follow each other at once. Default 10; below 1 counts as 1.
    public var burst: Int
    /// How long one attempt takes to come back. Default 10 s; zero or less means no budget.
    public var interval: Duration

    /// Makes a budget; every value has the default its property documents.
    public init(burst: Int = 10, interval: Duration = .seconds(10)) {
        self.burst = burst
        self.interval = interval
    }
}
