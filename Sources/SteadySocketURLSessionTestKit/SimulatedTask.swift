package import Foundation
import SteadySocket
import SteadyTransport
import URLSessionTransport

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// One task as the transport and the script see it. Any thread; nothing is called under a lock.
public final class SimulatedTask: Sendable {
    /// The handler of a receive.
    typealias Received = @Sendable (Result<URLSessionWebSocketTask.Message, any Error>) -> Void
    /// The handler of a send or of a Ping.
    typealias Done = @Sendable ((any Error)?) -> Void

    struct Inner {
        var delegate: NativeDelegate?
        var calls: [URLSessionSimulator.Call] = []
        var maximumMessageSize = 1 << 20
        var closeCode = 0
        var closeReason: Data?
        var response: URLResponse?
        var receive: Received?
        var unread: [Message] = []
        var sends: [Done] = []
        var pings: [Done] = []
        var isComplete = false
        var isInvalidated = false
    }

    let quirks: Set<URLSessionQuirk>
    let clock: SimulatedClock
    private let script: URLSessionSimulator.Script
    let inner: Locked<Inner>
    /// What the upgrade request is made from.
    package let request: URLRequest
    /// What the session was made from, after `URLSessionTransport.Options.configure`.
    package let configuration: URLSessionConfiguration

    init(
        _ simulator: URLSessionSimulator, _ request: URLRequest, _ configuration: URLSessionConfiguration,
        _ delegate: NativeDelegate?
    ) {
        // Not the simulator itself, which holds its tasks.
        quirks = simulator.quirks
        clock = simulator.clock
        script = simulator.script
        self.request = request
        self.configuration = configuration
        inner = Locked(Inner(delegate: delegate))
    }

    // MARK: What happened

    /// What the transport asked for, in order.
    public var calls: [URLSessionSimulator.Call] { inner.withLock { $0.calls } }

    /// The codes given to `cancel(with:)`.
    public var cancelCodes: [Int] {
        calls.compactMap { if case .cancel(let code, _) = $0 { code } else { nil } }
    }

    /// Those of them that a Close frame may not carry (RFC 6455 section 7.4). Empty unless somebody made a mistake.
    public var unsendableCodes: [Int] {
        cancelCodes.filter { !(UInt16(exactly: $0).map { CloseCode(rawValue: $0).mayBeSent } ?? false) }
    }

    /// How often the session was invalidated, one way or the other. More than once is a mistake.
    public var invalidations: Int {
        calls.count { $0 == .finishTasksAndInvalidate || $0 == .invalidateAndCancel }
    }

    /// Whether `didComplete` was called.
    public var isComplete: Bool { inner.withLock { $0.isComplete } }

    /// Whether the session let go of its delegate.
    public var isSessionReleased: Bool { inner.withLock { $0.isInvalidated && $0.isComplete } }

    /// Whether a receive is outstanding.
    public var isReceiving: Bool { inner.withLock { $0.receive != nil } }

    // MARK: Plumbing

    var delegate: NativeDelegate? { inner.withLock { $0.delegate } }

    func record(_ call: URLSessionSimulator.Call) {
        inner.withLock { $0.calls.append(call) }
        script(call, self)
    }

    func invalidated(cancelling: Bool) {
        let delegate = delegate
        let wasComplete = isComplete
        inner.withLock { $0.isInvalidated = true }
        record(cancelling ? .invalidateAndCancel : .finishTasksAndInvalidate)
        if cancelling && !wasComplete {
            if quirks.contains(.receiveNeverReturns) {
                inner.withLock { $0.isComplete = true }
            } else {
                cancelled()
            }
        }
        if quirks.contains(.lateCallbacks), let delegate { callEverything(delegate) }
        releaseIfOver()
    }

    /// What a session does with a task it cancels.
    private func cancelled() {
        failsPings(SimulatedTask.urlError(-999))
        if !quirks.contains(.completesWithoutReceive) { failsReceive(SimulatedTask.urlError(-999)) }
        completes(SimulatedTask.urlError(-999))
    }

    func releaseIfOver() {
        // The delegate goes when the lock has been left: it may be the last reference.
        let gone = inner.withLock { inner -> NativeDelegate? in
            guard inner.isInvalidated, inner.isComplete else { return nil }
            defer { inner.delegate = nil }
            return inner.delegate
        }
        _ = gone
        if isSessionReleased {
            inner.withLock { inner in
                inner.receive = nil
                inner.sends = []
                inner.pings = []
            }
        }
    }

    /// A dead task that speaks.
    private func callEverything(_ delegate: NativeDelegate) {
        delegate.didOpen(subprotocol: nil)
        let (receive, pings) = inner.withLock { ($0.receive, $0.pings) }
        for ping in pings { ping(nil) }
        receive?(.success(.string("late")))
        delegate.didClose(code: 4999, reason: nil)
        delegate.didComplete(SimulatedTask.posixError(57))
    }

    /// An error of `URLSession`, with the URL in it as the real ones have.
    static func urlError(_ code: Int) -> NSError { error(NSURLErrorDomain, code) }

    /// An error of the socket below, by Darwin's number.
    static func posixError(_ code: Int) -> NSError { error(NSPOSIXErrorDomain, code) }

    private static func error(_ domain: String, _ code: Int) -> NSError {
        NSError(
            domain: domain, code: code,
            userInfo: [
                NSLocalizedDescriptionKey: "something about wss://example.com/chat?token=\(secret)",
                "NSErrorFailingURLStringKey": "wss://example.com/chat?token=\(secret)",
            ])
    }

    /// The secret that every simulated error holds, as real ones hold the URL. It must not turn up in anything a person
    /// or a log gets to see.
    public static let secret = "s3cr3t-t0k3n"
}

extension SimulatedTask: NativeTask {
    package var maximumMessageSize: Int {
        get { inner.withLock { $0.maximumMessageSize } }
        set { inner.withLock { $0.maximumMessageSize = newValue } }
    }

    package var closeCode: Int { inner.withLock { $0.closeCode } }

    package var closeReason: Data? { inner.withLock { $0.closeReason } }

    package var response: URLResponse? { inner.withLock { $0.response } }

    package func resume() { record(.resume) }

    package func send(
        _ message: URLSessionWebSocketTask.Message, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        inner.withLock { $0.sends.append(completion) }
        if case .string(let text) = message { record(.send(.text(text))) }
        if case .data(let data) = message { record(.send(.binary(data))) }
        if !quirks.contains(.sendsStall) { takesMessages() }
    }

    package func receive(completion: @escaping @Sendable (Result<URLSessionWebSocketTask.Message, any Error>) -> Void) {
        let second = inner.withLock { inner in
            defer { inner.receive = completion }
            return inner.receive != nil
        }
        precondition(!second, "a second receive while one is outstanding")
        record(.receive)
        deliverUnread()
    }

    package func sendPing(pongReceived: @escaping @Sendable ((any Error)?) -> Void) {
        inner.withLock { $0.pings.append(pongReceived) }
        record(.ping)
    }

    package func cancel(with closeCode: Int, reason: Data?) {
        record(.cancel(code: closeCode, reason: reason.map { String(decoding: $0, as: UTF8.self) } ?? ""))
    }
}
