#if os(Linux)
import CurlTransport
import Dispatch
import SteadySocket
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One socket that keeps `window` messages on their way to an echo server and back, without compression.
final class EchoClient: Sendable {
    private struct Progress {
        var socket: (any TransportSocket)?
        var sent = 0
        var received = 0
        var start = 0.0
        var end = 0.0
    }

    private let payload: Data
    private let window: Int
    private let count: Int
    private let progress = Mutex(Progress())
    private let opened = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)
    private let closed = DispatchSemaphore(value: 0)

    init(size: Int, window: Int, count: Int) {
        payload = Data(repeating: 7, count: size)
        self.window = min(window, count)
        self.count = count
    }

    /// Messages per second, from the first message sent to the last one received.
    func run(_ request: ConnectionRequest) throws -> Double {
        let transport = try CurlTransport(options: CurlTransport.Options(permessageDeflate: false))
        let socket = transport.open(request, attempt: AttemptID(1), limits: TransportLimits()) { [self] in take($0) }
        wait(for: opened, "the socket to open")
        progress.withLock {
            $0.socket = socket
            $0.sent = window
            $0.start = seconds()
        }
        socket.receive(window)
        for _ in 0..<window { send(on: socket) }
        wait(for: finished, "\(count) echoes")
        socket.close(code: .normalClosure, reason: "")
        wait(for: closed, "the socket to close")
        return progress.withLock { Double(count) / ($0.end - $0.start) }
    }

    private func wait(for event: DispatchSemaphore, _ what: String) {
        guard event.wait(timeout: .now() + 300) == .success else {
            fail("waited 300 s for \(what); now \(progress.withLock { ($0.sent, $0.received) })")
        }
    }

    private func take(_ fact: TransportFact) {
        switch fact {
        case .opened: opened.signal()
        case .message(let message): echoed(message)
        case .pingReceived, .pongReceived: break
        case .closed(let close):
            guard progress.withLock({ $0.received == count }) else {
                fail("the socket closed: \(close.error?.description ?? "\(close.reason)")")
            }
            closed.signal()
        }
    }

    private func echoed(_ message: Message) {
        guard message.byteCount == payload.count else { fail("an echo of \(message.byteCount) bytes") }
        let (socket, sendsMore, isLast) = progress.withLock {
            $0.received += 1
            let sendsMore = $0.sent < count
            if sendsMore { $0.sent += 1 }
            if $0.received == count { $0.end = seconds() }
            return ($0.socket, sendsMore, $0.received == count)
        }
        guard let socket, !isLast else { return _ = finished.signal() }
        socket.receive(1)
        if sendsMore { send(on: socket) }
    }

    private func send(on socket: any TransportSocket) {
        socket.send(.binary(payload)) { error in
            if let error { fail("a message was not sent: \(error)") }
        }
    }
}

func measureEcho(_ request: ConnectionRequest, size: Int, window: Int, count: Int) throws {
    // A short run first: both sides have their buffers and code warm.
    _ = try EchoClient(size: size, window: window, count: min(count, window * 20)).run(request)
    let processor = processorSeconds()
    let rate = try EchoClient(size: size, window: window, count: count).run(request)
    print(#"{"messagesPerSecond":\#(rate),"processorSeconds":\#(processorSeconds() - processor)}"#)
}
#endif
