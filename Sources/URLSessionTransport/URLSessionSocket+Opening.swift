import ConnectionCore
import Foundation
import SteadyTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// From the first step to the end of the opening handshake.
extension URLSessionSocket {
    /// An idle socket is no failure, and the attempt has limits of its own: `URLSession` is to wait longer than both.
    private static let systemTimeout: TimeInterval = 7 * 86_400

    /// Makes the session and its task and sets it going.
    func start(_ options: URLSessionTransport.Options, _ makeSession: @escaping MakeNativeSession) {
        tell { socket in
            let configuration = socket.configuration(options)
            let session = makeSession(configuration, NativeDelegate(socket), options)
            let request = socket.request
            let task =
                options.opensWithURL
                ? session.webSocketTask(with: request.url, protocols: request.subprotocols)
                : session.webSocketTask(with: Self.urlRequest(request))
            socket.attach(session, task)
            // Documented as the size at which a receive fails, so one more; our own check is exact.
            let (size, overflow) = max(0, socket.limits.maximumMessageBytes).addingReportingOverflow(1)
            task.maximumMessageSize = overflow ? .max : size
            socket.setDeadline(socket.now + socket.limits.openingHandshake)
            task.resume()
        }
    }

    private func configuration(_ options: URLSessionTransport.Options) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = Self.systemTimeout
        configuration.timeoutIntervalForResource = Self.systemTimeout
        if options.opensWithURL {
            var headers: [String: String] = [:]
            for header in request.headers {
                headers[header.name] = headers[header.name].map { "\($0), \(header.value)" } ?? header.value
            }
            configuration.httpAdditionalHeaders = headers
        }
        options.configure?(configuration)
        return configuration
    }

    private static func urlRequest(_ request: ConnectionRequest) -> URLRequest {
        var made = URLRequest(url: request.url, timeoutInterval: systemTimeout)
        for header in request.headers { made.addValue(header.value, forHTTPHeaderField: header.name) }
        if !request.subprotocols.isEmpty {
            made.setValue(request.subprotocols.joined(separator: ", "), forHTTPHeaderField: "Sec-WebSocket-Protocol")
        }
        return made
    }

    /// `didOpenWithProtocol`.
    func nativeOpened(_ subprotocol: String?) {
        guard phase == .opening else { return }
        let subprotocol = subprotocol.flatMap { $0.isEmpty ? nil : $0 }
        phase = .open
        if ownClose != nil {
            // `close` came during the handshake: the peer gets its Close frame now.
            startClosing()
        } else if let subprotocol, !request.subprotocols.contains(subprotocol) {
            task?.cancel(with: Int(CloseCode.protocolError.rawValue), reason: nil)
            end(
                TransportClose(
                    .openingFailed(.invalidResponse),
                    error: ConnectionError(
                        .protocolViolation, "the server chose a subprotocol that was not offered (RFC 6455 section 4.1)"
                    )))
        } else {
            setDeadline(nil)
            tell(.opened(OpeningResult(subprotocol: subprotocol, extensions: header("Sec-WebSocket-Extensions") ?? "")))
            pump()
        }
    }

    /// The task completed, or a Close frame was reported, before the handshake did.
    func openingEnded(_ error: (any Error)?) {
        // What this side asked for first is the cause that counts.
        guard ownClose == nil else { return finishClosing() }
        let failure = NativeFailure(error, isTrustRefused: isTrustRefused)
        let status = (task?.response as? HTTPURLResponse)?.statusCode ?? 101
        guard status != 101, failure.openingReason != .openingFailed(.proxy) else {
            return end(TransportClose(failure.openingReason, error: failure.error))
        }
        end(
            TransportClose(
                .openingRefused(status: status),
                retryAfter: header("Retry-After").flatMap {
                    RetryAfter.parse($0, date: header("Date"), now: Date())
                },
                error: ConnectionError(.refused, "the server refused the upgrade with HTTP status \(status)")))
    }

    /// The server has not answered in time: nothing of it can be waited for any more.
    func openingTimedOut() {
        guard ownClose == nil else { return finishClosing(isTimedOut: true) }
        end(
            TransportClose(
                .openingTimedOut,
                error: ConnectionError(.timedOut, "the opening handshake took longer than \(limits.openingHandshake)")),
            isTornDown: true)
    }

    private func header(_ name: String) -> String? {
        (task?.response as? HTTPURLResponse)?.value(forHTTPHeaderField: name)
    }
}
