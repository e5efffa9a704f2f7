import Foundation
import PeerSupport

@testable import steady

/// The built `steady connect`, as a process of its own.
///
/// `@unchecked Sendable`: the properties are constants; `Process` is started once, then only asked and signalled.
final class ConnectProcess: @unchecked Sendable {
    /// What it printed.
    let lines = Lines()
    private let process = Process()
    private let input = Pipe()
    private let exited = AsyncStream<Int32>.makeStream()
    private let readers = DispatchGroup()

    /// Starts it. Without `readsOutput`, nobody reads its standard output.
    init(_ arguments: [String], readsOutput: Bool = true) throws {
        process.executableURL = try Self.program()
        process.arguments = ["connect"] + arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        process.terminationHandler = { [exited, readers] process in
            // What it printed last may still be on its way.
            readers.notify(queue: .global()) { exited.continuation.yield(process.terminationStatus) }
        }
        var read = [(errors, OutputTarget.standardError)]
        if readsOutput { read.append((output, .standardOutput)) }
        for _ in read { readers.enter() }
        try process.run()
        if !readsOutput { try output.fileHandleForReading.close() }
        for (pipe, target) in read {
            Thread.detachNewThread { [lines, readers] in
                Self.read(pipe.fileHandleForReading, into: lines, target)
                readers.leave()
            }
        }
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    func type(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    func endInput() throws { try input.fileHandleForWriting.close() }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// The exit code, once it has ended and everything it printed is in `lines`; nil if a signal killed it.
    func code() async throws -> ExitCode? {
        let status: Int32?
        do {
            status = try await withWatchdog("steady to end", within: .seconds(30)) { [exited] in
                for await status in exited.stream { return status }
                return nil
            }
        } catch {
            throw LinesError(description: "\(error); printed: \(lines.all.map(\.text))")
        }
        return process.terminationReason == .exit ? status.flatMap(ExitCode.init(rawValue:)) : nil
    }

    func lines(on target: OutputTarget) -> [String] { lines.all.filter { $0.target == target }.map(\.text) }

    /// The program stands beside the test bundle.
    private static func program() throws -> URL {
        let places = [Bundle.main.executableURL, Bundle(for: ConnectProcess.self).bundleURL].compactMap(\.self)
        let candidates = places.map { $0.deletingLastPathComponent().appendingPathComponent("steady") }
        guard let program = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw LinesError(description: "no program at any of \(candidates.map(\.path)); run swift build first")
        }
        return program
    }

    private static func read(_ handle: FileHandle, into lines: Lines, _ target: OutputTarget) {
        var rest = Data()
        while case let data = handle.availableData, !data.isEmpty {
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                _ = lines.write(target, String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                rest = Data(rest[rest.index(after: end)...])
            }
        }
        // Half a line is a mistake of ours that a test should see.
        if !rest.isEmpty { _ = lines.write(target, String(decoding: rest, as: UTF8.self) + " (without line feed)") }
    }
}
