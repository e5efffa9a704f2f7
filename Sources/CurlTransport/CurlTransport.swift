#if os(Linux)
public import ConnectionCore
public import SteadyTransport

/// The transport for Linux: libcurl makes the connections, one thread of the process serves all their sockets.
///
/// A value holds options only, so that one may serve any number of attempts and be used from any thread.
public final class CurlTransport: Transport {
    private let options: Options
    private let loop: EventLoop

    /// Makes a transport.
    ///
    /// - Throws: `ConnectionError` with `.invalidOption` if an option cannot work.
    public convenience init(options: Options) throws(ConnectionError) {
        try self.init(options: options, loop: .shared)
    }

    /// Makes a transport with the default options.
    public init() {
        options = Options()
        loop = .shared
    }

    package init(options: Options, loop: EventLoop) throws(ConnectionError) {
        try options.check()
        self.options = options
        self.loop = loop
    }

    /// Starts one attempt; see `Transport.open`. Facts are reported on the transport's own thread: hop before doing work.
    public func open(
        _ request: ConnectionRequest, attempt: AttemptID, limits: TransportLimits,
        report: @escaping @Sendable (TransportFact) -> Void
    ) -> any TransportSocket {
        let socket = CurlSocket(request, options: options, limits: limits, loop: loop, report: report)
        loop.post { [loop] in loop.add(socket) }
        return socket
    }
}
#endif
