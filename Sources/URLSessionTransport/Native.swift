package import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// The calls of `URLSession` the transport makes.
package protocol NativeSession: AnyObject, Sendable {
    func webSocketTask(with request: URLRequest) -> any NativeTask
    func webSocketTask(with url: URL, protocols: [String]) -> any NativeTask
    func finishTasksAndInvalidate()
    func invalidateAndCancel()
}

/// The calls of `URLSessionWebSocketTask` the transport makes. Close codes are raw numbers: the enumeration is open on
/// Apple platforms and closed on Linux.
package protocol NativeTask: AnyObject, Sendable {
    var maximumMessageSize: Int { get set }
    /// 0 until a Close frame has come.
    var closeCode: Int { get }
    var closeReason: Data? { get }
    var response: URLResponse? { get }
    func resume()
    func send(_ message: URLSessionWebSocketTask.Message, completion: @escaping @Sendable ((any Error)?) -> Void)
    func receive(completion: @escaping @Sendable (Result<URLSessionWebSocketTask.Message, any Error>) -> Void)
    func sendPing(pongReceived: @escaping @Sendable ((any Error)?) -> Void)
    func cancel(with closeCode: Int, reason: Data?)
}

/// Makes the session of one socket. The session holds the delegate until it has been invalidated.
package typealias MakeNativeSession =
    @Sendable (URLSessionConfiguration, NativeDelegate, URLSessionTransport.Options) -> any NativeSession

/// What a session tells its delegate. A session holds its delegate strongly, so this box holds the socket weakly: a
/// session that is never done keeps an empty box alive and nothing else.
///
/// `@unchecked Sendable` holds because `socket` is set once, before the session exists.
package final class NativeDelegate: @unchecked Sendable {
    private weak var socket: URLSessionSocket?

    init(_ socket: URLSessionSocket) { self.socket = socket }

    package func didOpen(subprotocol: String?) { socket?.tell { $0.nativeOpened(subprotocol) } }

    package func didClose(code: Int, reason: Data?) { socket?.tell { $0.nativeClosed(code, reason) } }

    package func didComplete(_ error: (any Error)?) { socket?.tell { $0.nativeCompleted(error) } }

    /// The app's evaluator refused the server's certificate; `didComplete` with "cancelled" follows.
    package func refusedTrust() { socket?.tell { $0.isTrustRefused = true } }

    /// The request to make instead of the one that was redirected: none. A redirect is a refusal, as RFC 6455 section
    /// 4.1 lets a client decide: the headers of the request may hold credentials for the first host alone.
    package func redirected(to request: URLRequest) -> URLRequest? { nil }
}
