package import ConnectionCore

/// The policies the simulator compares, by the name they have on the command line.
package enum Policy: String, CaseIterable, Sendable {
    case standard
    case stormSafe = "storm-safe"
    case old
    case stream
    case socketIO = "socket.io"
    case phoenix
    case gRPC = "grpc"
    case ably
    case supabase
    case exact
    case slot

    /// What it is and where that is published.
    package var source: String {
        switch self {
        case .standard: "Configuration.standard, run by ConnectionMachine"
        case .stormSafe: "Configuration.stormSafe, run by ConnectionMachine"
        case .old: "what SteadySocket replaces: a retry every 5 s, a bare cancel and a new socket at every identify"
        case .stream: "stream-chat-swift 4.100.1, Sources/StreamChat/WebSocketClient/RetryStrategy.swift"
        case .socketIO: "socket.io-client 4.8.3, build/esm/manager.js with contrib/backo2.js"
        case .phoenix: "phoenix socket.js at 015d8146, reconnectAfterMs"
        case .gRPC: "gRPC doc/connection-backoff.md (page of C++ 1.75)"
        case .ably: "ably-cocoa 0edb99e3, ARTBackoffRetryDelayCalculator.m and ARTRealtime.m:753"
        case .supabase: "supabase-swift 52eec30c, ConnectionManager.swift:242 and Types.swift:116"
        case .exact: "the standard ladder, but Retry-After obeyed to the second (a warning, no library)"
        case .slot: "storm-safe windows, and a Retry-After R waited for R + U(0, 1 s) (a proposal, no library)"
        }
    }

    /// Whether a client ever finds out that the peer of its open socket has gone silent.
    package var noticesSilence: Bool { configuration != nil || published?.heartbeat != nil }

    /// The configuration, for the two policies that run the shipping machine.
    package var configuration: Configuration? {
        switch self {
        case .standard: .standard
        case .stormSafe: .stormSafe
        case .old, .stream, .socketIO, .phoenix, .gRPC, .ably, .supabase, .exact, .slot: nil
        }
    }

    /// The model, for the other policies.
    var published: PublishedPolicy? {
        switch self {
        case .standard, .stormSafe: nil
        case .old:
            // URLSession gives a request up after 60 s (URLSessionConfiguration.timeoutIntervalForRequest).
            PublishedPolicy(
                .ladder([5]), sameIdentity: .reconnects, connectTimeout: 60, closeCode: .noStatusReceived)
        case .stream:
            // The socket stays until the background task expires, 30 s at best (ConnectionRecoveryHandler.swift:116).
            // Its own pings: WebSocketPingController.swift.
            PublishedPolicy(
                .stream, connectTimeout: 60, backgroundGrace: 29, watchesPath: true,
                heartbeat: .init(every: 25, patience: 3))
        case .socketIO:
            // The server pings; its defaults stand in the handshake (engine.io pingInterval and pingTimeout).
            PublishedPolicy(
                .backo2(initial: 1, cap: 5, jitter: 0.5), connectTimeout: 20,
                heartbeat: .init(every: 25, patience: 20))
        case .phoenix:
            // heartbeatIntervalMs; an unanswered heartbeat is noticed when the next one is due.
            PublishedPolicy(
                .ladder([0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 1, 2, 5]), connectTimeout: 10,
                heartbeat: .init(every: 30, patience: 30))
        case .gRPC:
            // Keepalive is off by default (doc/keepalive.md).
            PublishedPolicy(
                .exponential(first: 0, initial: 1, factor: 1.6, cap: 120, jitter: 0.2), connectTimeout: 20)
        case .ably:
            // The server promises a frame per maxIdleInterval, 15 s; ARTRealtime.m adds realtimeRequestTimeout.
            PublishedPolicy(
                .ably(first: 0.1), connectTimeout: 10, watchesPath: true, heartbeat: .init(every: 15, patience: 10))
        case .supabase:
            // A bare cancel on purpose (URLSessionWebSocket.swift:430). An unanswered heartbeat is noticed when the next
            // one is due (RealtimeClientV2.swift, sendHeartbeat).
            PublishedPolicy(
                .exponential(first: nil, initial: 7, factor: 2, cap: 30, jitter: 0), connectTimeout: 10,
                closeCode: .noStatusReceived, heartbeat: .init(every: 25, patience: 25))
        case .exact:
            PublishedPolicy(
                .exponential(first: nil, initial: 2, factor: 2, cap: 60, jitter: 0.2), retryAfter: .exact,
                connectTimeout: 15, heartbeat: .init(every: 40, patience: 10))
        case .slot:
            PublishedPolicy(
                .windows(cap: 60), retryAfter: .spread(1), connectTimeout: 15, heartbeat: .init(every: 40, patience: 10)
            )
        }
    }
}
