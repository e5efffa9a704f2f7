#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import SteadySocket

/// The realtime layer of a support SDK: session start and identify are HTTP calls that yield an identity, and one socket
/// follows it.
///
/// Every method returns at once and may be called from any thread; calls take effect in the order they were made. HTTP calls
/// are made one at a time. All state lives on `GleapOptions.connection.queue`. Releasing the last reference closes the socket
/// with 1000 and keeps the identity.
public final class GleapRealtime: Sendable {
    private let driver: SessionDriver

    /// Makes a session that does nothing yet.
    ///
    /// - Throws: `GleapError` with `.invalidConfiguration`.
    public init(_ configuration: GleapConfiguration, options: GleapOptions = GleapOptions()) throws(GleapError) {
        try configuration.check()
        driver = SessionDriver(
            configuration: configuration, options: options, http: options.http ?? URLSessionHTTPClient(),
            store: options.store ?? Self.platformStore())
        driver.begin()
    }

    deinit { driver.submit(.release) }

    // MARK: The session

    /// Starts the session: with the stored identity, if there is one, whose channel is asked for at once; else as a guest.
    /// Calling it again does nothing, unless the start was given up. In the background the call is made and the socket waits
    /// for the foreground.
    public func start() { driver.submit(.start) }

    /// Tells the service who uses the app. Waits for the session to be ready, for `start()` if need be. Sends nothing if the
    /// service has acknowledged all of it before; a newer identify takes the place of one that was not sent yet.
    ///
    /// - Throws: `GleapError` with `.invalidUser`. What the service says comes as a `GleapEvent`.
    public func identify(_ user: GleapUser) throws(GleapError) { driver.submit(.identify(try user.fields())) }

    /// Tells the service more about the contact of the session. Waits and is left out like an identify.
    ///
    /// - Throws: `GleapError` with `.invalidUser`.
    public func updateContact(_ contact: GleapContact) throws(GleapError) {
        driver.submit(.update(try contact.fields()))
    }

    /// Logs out: drops what was not sent yet, removes the identity from memory and store, closes the socket with 1000 and, if
    /// the session was started, starts a fresh one as a guest.
    public func clearIdentity() { driver.submit(.clear) }

    /// Drops what was not sent yet and closes the socket with 1000. The identity is kept for the next `start()`.
    public func stop() { driver.submit(.stop(exiting: false)) }

    /// `stop()` for a process that was told to exit: closes with 1001. Wait for `connection.status` to be `.idle`.
    public func shutDown() { driver.submit(.stop(exiting: true)) }

    // MARK: Looking at it

    /// Where the session and its socket are.
    public var status: GleapStatus {
        GleapStatus(session: driver.publisher.sessionState, connection: driver.socket.status)
    }

    /// Who this process is for the service; nil before the first answer and after `clearIdentity()`.
    public var session: GleapSession? { driver.publisher.session }

    /// The `data` of every `update` from now on. A slow reader keeps the newest 256; `ignored` counts the rest.
    public var updates: AsyncStream<JSONValue> { driver.publisher.updates }

    /// What happens from now on. A slow reader keeps the newest 256.
    public var events: AsyncStream<GleapEvent> { driver.publisher.events }

    /// Messages that were not handed on so far.
    public var ignored: IgnoredMessages { driver.publisher.ignored }

    /// The socket, to look at: its statuses, events and decisions. Asking and sending are this class's own.
    public var connection: SteadySocket { driver.socket }

    // MARK: The low level

    /// Asks for the channel of this URL, whoever made it, until the session yields another one.
    ///
    /// The channel is known by the URL with its `gleapId`, `gleapHash` and `apiKey`; asking again with the query in another
    /// order keeps the socket.
    ///
    /// - Throws: `ConnectionError` with `.invalidURL`.
    public func connect(to url: URL) throws(ConnectionError) { driver.submit(.connect(try Channel(url))) }

    private static func platformStore() -> any IdentityStore {
        #if canImport(Darwin)
        UserDefaultsIdentityStore()
        #else
        FileIdentityStore()
        #endif
    }
}
