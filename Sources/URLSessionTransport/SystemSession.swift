import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(Security)
import Security
#endif

/// The real thing, call for call.
final class SystemSession: NativeSession {
    private let session: URLSession

    init(_ configuration: URLSessionConfiguration, _ delegate: NativeDelegate, _ options: URLSessionTransport.Options) {
        // No queue given: the session makes a serial one, so that what it reports keeps its order.
        session = URLSession(
            configuration: configuration, delegate: SystemDelegate(delegate, options), delegateQueue: nil)
    }

    func webSocketTask(with request: URLRequest) -> any NativeTask { SystemTask(session.webSocketTask(with: request)) }

    func webSocketTask(with url: URL, protocols: [String]) -> any NativeTask {
        SystemTask(session.webSocketTask(with: url, protocols: protocols))
    }

    func finishTasksAndInvalidate() { session.finishTasksAndInvalidate() }

    func invalidateAndCancel() { session.invalidateAndCancel() }
}

/// One `URLSessionWebSocketTask`.
final class SystemTask: NativeTask {
    private let task: URLSessionWebSocketTask

    init(_ task: URLSessionWebSocketTask) { self.task = task }

    var maximumMessageSize: Int {
        get { task.maximumMessageSize }
        set { task.maximumMessageSize = newValue }
    }

    // By number: 1012 and 4001 have no case, and a switch over the cases would lose them.
    var closeCode: Int { task.closeCode.rawValue }

    var closeReason: Data? { task.closeReason }

    var response: URLResponse? { task.response }

    func resume() { task.resume() }

    func send(_ message: URLSessionWebSocketTask.Message, completion: @escaping @Sendable ((any Error)?) -> Void) {
        task.send(message, completionHandler: completion)
    }

    func receive(completion: @escaping @Sendable (Result<URLSessionWebSocketTask.Message, any Error>) -> Void) {
        task.receive(completionHandler: completion)
    }

    func sendPing(pongReceived: @escaping @Sendable ((any Error)?) -> Void) {
        task.sendPing(pongReceiveHandler: pongReceived)
    }

    func cancel(with closeCode: Int, reason: Data?) {
        // Never nil on Apple platforms, where any number makes a value of an imported enumeration.
        task.cancel(with: URLSessionWebSocketTask.CloseCode(rawValue: closeCode) ?? .normalClosure, reason: reason)
    }
}

/// Hands on what the session says. The session holds it until it has been invalidated.
final class SystemDelegate: NSObject, URLSessionWebSocketDelegate {
    private let delegate: NativeDelegate
    private let options: URLSessionTransport.Options

    init(_ delegate: NativeDelegate, _ options: URLSessionTransport.Options) {
        self.delegate = delegate
        self.options = options
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol subprotocol: String?
    ) {
        delegate.didOpen(subprotocol: subprotocol)
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) {
        delegate.didClose(code: closeCode.rawValue, reason: reason)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        delegate.didComplete(error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(delegate.redirected(to: request))
    }

    #if canImport(Security)
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        // Nil for every other kind of challenge.
        guard let trust = space.serverTrust, let evaluate = options.trustEvaluator else {
            return completionHandler(.performDefaultHandling, nil)
        }
        guard evaluate(trust, space.host) else {
            delegate.refusedTrust()
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        completionHandler(.useCredential, URLCredential(trust: trust))
    }
    #endif
}
