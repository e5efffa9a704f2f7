public import ConnectionCore
public import SteadyTransport

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif
#if canImport(Security)
public import Security

/// Decides whether a server may be trusted: true to go on, false to refuse it.
///
/// Called on a serial queue of the session that opens the socket, once per TLS handshake with the server, with the trust
/// object of the handshake and the host name of the URL. It may take its time; the opening handshake's deadline goes on
/// meanwhile. It replaces the system's own evaluation: call `SecTrustEvaluateWithError` as well unless a private
/// authority is meant.
public typealias TrustEvaluator = @Sendable (_ trust: SecTrust, _ host: String) -> Bool
#endif

/// The transport for Apple platforms: one `URLSession` with one `URLSessionWebSocketTask` per socket.
///
/// A value holds options only, so that one may serve any number of attempts and be used from any thread. Facts are
/// reported on whatever thread they become known on, in order, under no lock.
///
/// What `URLSession` does not show is not reported: `.pingReceived` never comes (it answers Pings by itself). A redirect
/// is not followed; it ends the attempt with `.openingRefused` and its status.
///
/// On Linux it compiles, for its tests; FoundationNetworking's WebSocket does not work there. Use `CurlTransport`.
public final class URLSessionTransport: Transport {
    private let options: Options
    private let scheduler: Scheduler
    private let makeSession: MakeNativeSession

    /// Makes a transport.
    public convenience init(options: Options = Options()) {
        self.init(options: options, scheduler: .system) { SystemSession($0, $1, $2) }
    }

    package init(options: Options, scheduler: Scheduler, makeSession: @escaping MakeNativeSession) {
        self.options = options
        self.scheduler = scheduler
        self.makeSession = makeSession
    }

    /// Starts one attempt; see `Transport.open`.
    ///
    /// A socket that is let go of without `close` or `abandon` is torn down and reports its end.
    public func open(
        _ request: ConnectionRequest, attempt: AttemptID, limits: TransportLimits,
        report: @escaping @Sendable (TransportFact) -> Void
    ) -> any TransportSocket {
        let socket = URLSessionSocket(request, limits: limits, scheduler: scheduler, report: report)
        socket.start(options, makeSession)
        return socket
    }
}

extension URLSessionTransport {
    /// What a socket is made with.
    public struct Options: Sendable {
        /// Changes the configuration each session is made from: a proxy (`connectionProxyDictionary`), cellular access,
        /// a TLS version, multipath. Called once per attempt, on the thread that opens it. Default: none.
        ///
        /// It gets an ephemeral configuration, without a cache and with timeouts of 7 days: the limits of the attempt
        /// decide, and an idle socket is no failure.
        public var configure: (@Sendable (URLSessionConfiguration) -> Void)?

        /// Makes the task from the URL alone and puts the headers into the configuration. Default: false.
        ///
        /// Without an entry in `connectionProxyDictionary` the proxy of the system's settings is used. There are reports
        /// that a task made from a request passes that proxy by, and others that headers in the configuration end the
        /// handshake with error -1005. Set it only if a proxy is not used that should be.
        public var opensWithURL = false

        #if canImport(Security)
        /// Decides about the server's certificate, for pinning or for a private authority. Default: the system decides.
        public var trustEvaluator: TrustEvaluator?
        #endif

        /// Makes the defaults.
        public init() {}
    }
}
