import Foundation

/// A Python script of `Tests/Peers` that reports JSON lines on standard output and ends when its standard input does.
///
/// `@unchecked Sendable`: the properties are constants; `Process` is only started and stopped, the latter under `lock`,
/// as are writes to the script's input.
final class PythonProcess: @unchecked Sendable {
    let log: RecordLog
    private let process = Process()
    private let input = Pipe()
    private let lock = NSLock()

    init(script: String, arguments: [String]) throws {
        log = RecordLog(name: script)
        process.executableURL = try Self.interpreter()
        process.arguments = [Self.root.appendingPathComponent("Tests/Peers/\(script)").path] + arguments
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        Thread.detachNewThread { [log] in
            Self.read(output.fileHandleForReading, into: log)
        }
    }

    deinit {
        stop()
    }

    /// Ends the script; its open sockets end with it. Calling it again does nothing.
    func stop() {
        lock.withLock {
            try? input.fileHandleForWriting.close()
            if process.isRunning {
                process.terminate()
            }
        }
    }

    func write(_ line: String) throws {
        try lock.withLock {
            try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        }
    }

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func interpreter() throws -> URL {
        let named = ProcessInfo.processInfo.environment["STEADY_PYTHON"].map { URL(fileURLWithPath: $0) }
        let python = named ?? root.appendingPathComponent(".cache/venv/bin/python3")
        guard FileManager.default.isExecutableFile(atPath: python.path) else {
            throw PeerError(
                "no Python at \(python.path): run scripts/setup first, or name one with the packages of "
                    + "Tests/Peers/requirements.txt in STEADY_PYTHON")
        }
        return python
    }

    private static func read(_ output: FileHandle, into log: RecordLog) {
        var rest = Data()
        while case let data = output.availableData, !data.isEmpty {
            rest += data
            while let newline = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(rest[rest.startIndex..<newline])
                rest = Data(rest[rest.index(after: newline)...])
                do {
                    log.append(try JSONDecoder().decode(PeerRecord.self, from: line))
                } catch {
                    log.finish("it printed what is no record: \(String(decoding: line, as: UTF8.self))")
                }
            }
        }
        log.finish("it ended")
    }
}
