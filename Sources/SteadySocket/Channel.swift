#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import ConnectionCore
public import SteadyTransport

/// What a socket is for: a URL, and who it is for. Two channels with the same `id` share a socket.
public struct Channel: Sendable {
    /// Why a request is needed.
    public enum RequestReason: Hashable, Sendable {
        /// A regular attempt.
        case attempt
        /// The server refused the request before (HTTP 401 or 403, close code 1008): renew the credentials.
        case refused
    }

    enum Source: Sendable {
        case fixed(ConnectionRequest)
        case provider(@Sendable (RequestReason) async throws -> ConnectionRequest)
    }

    /// What makes two channels the same.
    public let id: ChannelID
    let source: Source

    /// A channel whose every attempt sends the same request.
    ///
    /// - Parameters:
    ///   - request: what to send. Its URL is part of the identity; its headers are not, so that a new token does not
    ///     replace a healthy socket.
    ///   - identity: who the channel is for, if the URL does not say.
    public init(_ request: ConnectionRequest, identity: String = "") {
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
        id = ChannelID(
            scheme: parts?.scheme ?? "", host: parts?.host ?? "", port: parts?.port,
            percentEncodedPath: parts?.percentEncodedPath ?? "", percentEncodedQuery: parts?.percentEncodedQuery,
            identity: identity)
        source = .fixed(request)
    }

    /// A channel for a URL.
    ///
    /// - Throws: `ConnectionError` with `.invalidURL` if it is no WebSocket URL.
    public init(_ url: URL, identity: String = "") throws(ConnectionError) {
        self.init(try ConnectionRequest(url), identity: identity)
    }

    /// A channel for a URL in text form.
    ///
    /// - Throws: `ConnectionError` with `.invalidURL` if it is no WebSocket URL.
    public init(_ url: String, identity: String = "") throws(ConnectionError) {
        self.init(try ConnectionRequest(url), identity: identity)
    }

    /// A channel whose request is made anew for each attempt, so that tokens may rotate without being identity.
    ///
    /// - Parameters:
    ///   - identity: who the channel is for; channels with the same identity share a socket.
    ///   - request: called once per attempt, off the connection's queue. Its time counts toward the opening handshake. An
    ///     error it throws counts as a failed attempt.
    public init(
        identity: String, request: @escaping @Sendable (RequestReason) async throws -> ConnectionRequest
    ) {
        id = ChannelID(identity: identity)
        source = .provider(request)
    }
}
