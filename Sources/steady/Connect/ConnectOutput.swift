internal import ConnectionLedger
internal import Dispatch
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Writes records, each at once and whole. Standard output and standard error do not wait for each other.
struct ConnectOutput: Sendable {
    /// Writes a line; false if nobody can read it any more. May block.
    typealias Write = @Sendable (OutputTarget, String) -> Bool

    private let json: Bool
    private let isTerminal: Bool
    private let write: Write
    private let outQueue = DispatchQueue(label: "steady.output")
    private let errorQueue = DispatchQueue(label: "steady.error")

    /// - Parameters:
    ///   - json: whether every record becomes a line of JSON on standard output.
    ///   - isTerminal: whether standard output is one, which must not obey what a peer sent.
    ///   - write: where lines go.
    init(json: Bool, isTerminal: Bool, write: @escaping Write) {
        self.json = json
        self.isTerminal = isTerminal
        self.write = write
    }

    /// The streams of the process.
    static func standard(json: Bool) -> ConnectOutput {
        ConnectOutput(json: json, isTerminal: isatty(STDOUT_FILENO) == 1) { target, line in
            let descriptor =
                switch target {
                case .standardOutput: STDOUT_FILENO
                case .standardError: STDERR_FILENO
                }
            return Output.write(Array((line + "\n").utf8), to: descriptor) == nil
        }
    }

    /// Returns when the record is written, so that who writes feels how fast the reader is; false if standard output has
    /// no reader any more.
    func put(_ record: ConnectRecord) async -> Bool {
        if json { return await put(record.json(at: WallTime(Date())), on: .standardOutput) }
        guard let (target, text) = record.text else { return true }
        switch target {
        case .standardOutput:
            return await put(isTerminal ? printable(text, keeping: ["\n", "\t"]) : text, on: target)
        case .standardError:
            // Without a reader of standard error the session goes on: nothing of it is data.
            _ = await put(text, on: target)
            return true
        }
    }

    private func put(_ line: String, on target: OutputTarget) async -> Bool {
        let queue =
            switch target {
            case .standardOutput: outQueue
            case .standardError: errorQueue
            }
        return await withCheckedContinuation { continuation in
            queue.async { [write] in continuation.resume(returning: write(target, line)) }
        }
    }
}
