import ConnectionCore
import Foundation
import PeerSupport
import SteadySocket
import SteadySocketTestKit
import SteadyTransport

@testable import steady

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A session in this process, with a scripted server.
struct ConnectRig<Server: Transport> {
    let lines = Lines()
    let input = Pipe()
    let transport: Server
    /// How many lines the session has got.
    private let taken: @Sendable () -> Int
    private let signals = AsyncStream<Int32>.makeStream()
    private let running: Task<ExitCode, Never>

    init(_ transport: Server, json: Bool = false, change: (inout ConnectSettings) -> Void = { _ in }) throws {
        self.transport = transport
        var settings = ConnectSettings(request: try ConnectionRequest("ws://localhost/?token=hush"))
        settings.configuration.askQuietWindow = .zero
        settings.configuration.backoff.initial = .zero
        settings.transport = transport
        settings.json = json
        change(&settings)
        let session = ConnectSession(
            settings, output: ConnectOutput(json: settings.json, isTerminal: false, write: lines.write))
        let input = InputLines(
            descriptor: input.fileHandleForReading.fileDescriptor, limit: settings.configuration.maximumMessageBytes)
        taken = { input.takenCount }
        running = Task { [signals] in await session.run(input, signals: signals.stream) }
    }

    func type(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    func endInput() throws { try input.fileHandleForWriting.close() }

    /// Where it reads from.
    var descriptor: Int32 { input.fileHandleForReading.fileDescriptor }

    /// The session has got this many lines. That the bytes were read says less: the line is still on its way.
    func linesTaken(_ count: Int) async throws {
        try await withWatchdog("the lines to be taken") { [taken] in while taken() < count { await Task.yield() } }
    }

    func signal(_ number: Int32) { signals.continuation.yield(number) }

    func code() async throws -> ExitCode {
        // The descriptor is open until the session has ended.
        try await withWatchdog("the end of the session") { [running] in
            await running.value
        }
    }
}

extension ConnectRig where Server == ScriptedTransport {
    var sent: [Message] {
        transport.sockets.flatMap(\.calls).compactMap { if case .send(let message) = $0 { message } else { nil } }
    }
}

/// A server that is open and takes messages only when told to.
final class SlowTransport: Transport, TransportSocket {
    typealias Completion = @Sendable (ConnectionError?) -> Void

    private let closed = Locked<(@Sendable (TransportFact) -> Void)?>(nil)
    let waiting = AsyncStream<(Message, Completion)>.makeStream()

    func open(
        _ request: ConnectionRequest, attempt: AttemptID, limits: TransportLimits,
        report: @escaping @Sendable (TransportFact) -> Void
    ) -> any TransportSocket {
        closed.withLock { $0 = report }
        report(.opened(OpeningResult()))
        return self
    }

    func send(_ message: Message, completion: @escaping Completion) {
        waiting.continuation.yield((message, completion))
    }
    func ping() {}
    func receive(_ count: Int) {}
    func abandon() {}
    func close(code: CloseCode, reason: String) {
        closed.withLock { $0 }?(.closed(TransportClose(.closedByPeer(code), closeCode: code, outcome: .acknowledged)))
    }

    /// The next message, and what says that it was handed to the network.
    func next() async throws -> (Message, Completion) {
        try await withWatchdog("a message") { [stream = waiting.stream] in
            for await next in stream { return next }
            throw CancellationError()
        }
    }
}

extension ConnectRig where Server == ScriptedTransport {
    /// Reports a text message once the session has asked for one; it does so a moment after it says that it is open.
    func deliver(_ text: String) async throws {
        try await withWatchdog("room for a message") { [transport] in
            while transport.sockets.first.map({ $0.allowed == 0 }) ?? true { await Task.yield() }
        }
        transport.sockets.first?.report(.message(.text(text)))
    }
}
