import Foundation
import GleapRealtime
import SteadySocket

/// HTTP whose answers the test gives, one by one. Any thread.
final class ScriptedHTTP: HTTPClient {
    final class Exchange: Sendable {
        let request: HTTPRequest
        let complete: @Sendable (Result<HTTPAnswer, GleapError>) -> Void
        private let cancelled = Locked(false)

        init(_ request: HTTPRequest, _ complete: @escaping @Sendable (Result<HTTPAnswer, GleapError>) -> Void) {
            self.request = request
            self.complete = complete
        }

        var isCancelled: Bool { cancelled.withLock { $0 } }
        func cancel() { cancelled.withLock { $0 = true } }
        var path: String { request.url.path }
        var body: [String: JSONValue] {
            (try? JSONDecoder().decode([String: JSONValue].self, from: request.body)) ?? [:]
        }
    }

    private let all = Locked<[Exchange]>([])

    var exchanges: [Exchange] { all.withLock { $0 } }
    var paths: [String] { exchanges.map(\.path) }

    func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPAnswer, GleapError>) -> Void
    ) -> @Sendable () -> Void {
        let exchange = Exchange(request, completion)
        all.withLock { $0.append(exchange) }
        return { exchange.cancel() }
    }
}
