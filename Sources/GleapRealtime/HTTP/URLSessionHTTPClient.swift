import ConnectionCore
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// HTTP over URLSession: no cookies, no cache, no stored credentials, no redirects.
public final class URLSessionHTTPClient: HTTPClient {
    private let session: URLSession

    /// Makes a client with a session of its own.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
    }

    // The session keeps its delegate and threads until it is told to let go.
    deinit { session.finishTasksAndInvalidate() }

    /// Starts a call. See `HTTPClient`.
    public func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPAnswer, GleapError>) -> Void
    ) -> @Sendable () -> Void {
        var native = URLRequest(url: request.url)
        native.httpMethod = "POST"
        native.httpBody = request.body
        // The session gives the call up in time; this is for the case that it cannot. On Linux the interval counts in whole
        // seconds, rounded down: 0.8 would end the call at once.
        native.timeoutInterval = request.timeout.inSeconds.rounded(.up) + 1
        for (name, value) in request.headers { native.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: native) { data, response, error in
            completion(Self.result(data, response, error))
        }
        task.resume()
        return { task.cancel() }
    }

    private static func result(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<HTTPAnswer, GleapError> {
        if let error { return .failure(failure(error)) }
        guard let response = response as? HTTPURLResponse else {
            return .failure(GleapError(.network, "what came back is not HTTP"))
        }
        return .success(
            HTTPAnswer(
                status: response.statusCode, retryAfter: response.value(forHTTPHeaderField: "Retry-After"),
                date: response.value(forHTTPHeaderField: "Date"), body: data ?? Data()))
    }

    /// Domain and number only: the description of a URL error holds the whole URL.
    private static func failure(_ error: any Error) -> GleapError {
        let native = error as NSError
        let underlying = "\(native.domain) \(native.code)"
        if native.domain == NSURLErrorDomain, native.code == NSURLErrorTimedOut {
            return GleapError(.timedOut, "the service did not answer in time", underlying: underlying)
        }
        return GleapError(.network, "the service could not be reached", underlying: underlying)
    }
}

private final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
