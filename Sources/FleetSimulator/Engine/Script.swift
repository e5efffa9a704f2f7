internal import ConnectionCore

/// What a scenario adds to the engine: what the app, the path and the server do to a client.
protocol Script: Sendable {
    /// What the scenario remembers of each client.
    associatedtype Life
    /// Where the clock of the results begins, in nanoseconds of simulated time.
    var origin: Int64 { get }
    /// How finely the results resolve time, in nanoseconds.
    var resolution: Int64 { get }
    /// Who answers attempts.
    var answers: Answers { get }
    func life(of client: Int) -> Life
    /// Puts a fresh client into its first state, with its socket open or not.
    func begin<A>(_ shard: inout Shard<A, Self>, client: Int)
    /// One of the scenario's own events happens.
    func happen<A>(_ kind: UInt8, tag: UInt32, _ shard: inout Shard<A, Self>, client: Int, at now: Int64)
    /// The socket of the current attempt opened.
    func opened<A>(_ shard: inout Shard<A, Self>, client: Int, at now: Int64)
    /// The client asked for background time or gave it back.
    func backgroundTime<A>(
        _ change: Actions.BackgroundTime, _ shard: inout Shard<A, Self>, client: Int, at now: Int64)
    /// Whether the peer of the client's socket still answers pings and closes.
    func peerAnswers<A>(_ shard: inout Shard<A, Self>, client: Int) -> Bool
    /// The client closes; returns what the server records of a Close frame with this code, as it can be lost.
    func closes<A>(_ shard: inout Shard<A, Self>, client: Int, with code: CloseCode, at now: Int64) -> CloseCode
}

enum Answers {
    /// One server for all clients, which answers between windows.
    case sharedServer
    /// Every attempt is accepted.
    case accepted
    /// Every attempt is refused with 503.
    case refused
}

extension Script {
    func peerAnswers<A>(_ shard: inout Shard<A, Self>, client: Int) -> Bool { true }

    func backgroundTime<A>(
        _ change: Actions.BackgroundTime, _ shard: inout Shard<A, Self>, client: Int, at now: Int64
    ) {}

    func closes<A>(_ shard: inout Shard<A, Self>, client: Int, with code: CloseCode, at now: Int64) -> CloseCode {
        code
    }
}
