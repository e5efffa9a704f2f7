internal import ConnectionCore

/// One client.
struct Client<A: Agent, Life> {
    static var noSocket: Int64 { -1 }

    var agent: A
    var policyDraws: FleetGenerator
    var worldDraws: FleetGenerator
    /// When the server accepted the socket that lives; `noSocket` if none does.
    var openedAt = Client.noSocket
    /// What the last refusal said.
    var retryAfter: UInt16 = 0
    /// Frozen by the system: no timer fires.
    var suspended = false
    /// Without a network: attempts fail at once and never reach the server.
    var offline = false
    /// The low bits of the number of the current attempt.
    var attempt: UInt32 = 0
    var life: Life
}

/// What the engine looks at before it touches the client itself, which is far away.
struct Timing: BitwiseCopyable {
    /// The earliest wake-up that is queued.
    var armed = Int64.max
    /// In µs.
    var roundTrip: Int32
}

/// An attempt that reached the shared server, or its answer.
struct Arrival {
    var offset: UInt32
    var client: UInt32
    var tag: UInt32
    /// In µs.
    var roundTrip: Int32
}

/// The events of the engine; a scenario's own begin at `first`.
enum Kind {
    static let wake: UInt8 = 1
    static let arrival: UInt8 = 2
    static let accepted: UInt8 = 3
    static let refused: UInt8 = 4
    static let pong: UInt8 = 5
    static let closed: UInt8 = 6
    static let unreachable: UInt8 = 7
    /// Refused, with the client's `retryAfter`.
    static let postponed: UInt8 = 8
    static let first: UInt8 = 16
}
