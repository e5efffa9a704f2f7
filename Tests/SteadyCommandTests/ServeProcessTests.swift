import ConnectionLedger
import Foundation
import RawClient
import Testing
import WebSocketWire

/// `steady serve` as a process of its own.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ServeProcessTests {
    private let folder: URL
    private var ledger: URL { folder.appendingPathComponent("ledger.ndjson") }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("steady-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func entries() throws -> [LedgerEntry] {
        let (entries, problems) = LedgerLines.decode(try Data(contentsOf: ledger))
        #expect(problems.isEmpty)
        return entries
    }

    @Test(arguments: [SIGTERM, SIGINT]) func aSignalCompletesTheLedger(signal: Int32) throws {
        let steady = try SteadyProcess(
            "serve", "--port", "0", "--ledger", ledger.path, "--query-item", "session", "--json")
        let port = try steady.port()
        let leaving = try RawClient.open(port: port, "/a?session=s1&token=secret")
        try leaving.send(.text("hi"))
        #expect(try leaving.readFrame() == .text("hi"))
        try leaving.send(.close(1000, "done"))
        #expect(try leaving.readToEnd().isEmpty == false)
        // The line is in the file while the server runs.
        #expect(try steady.readLine(containing: "\"kind\":\"socket\"") != nil)
        #expect(try entries().count == 1)

        let staying = try RawClient.open(port: port, "/b?session=s2")
        steady.send(signal)
        #expect(try staying.readFrame() == .close(1001))
        try staying.send(.close(1001))
        staying.close()
        let (status, output, errors) = steady.finish()
        #expect(status == 0)
        #expect(errors == "")

        let records = try entries().compactMap(\.socket)
        #expect(records.map(\.path) == ["/a", "/b"])
        #expect(records.map(\.query) == [["session": "s1"], ["session": "s2"]])
        #expect(records.map(\.code) == [1000, 1001])
        #expect(records.map(\.closedBy) == [.client, .server])
        let totals = try #require(output.split(separator: "\n").last)
        #expect(totals.contains(#""closeCodes":{"1000":1,"1001":1}"#) && totals.contains(#""connects":2"#))
        let everything = output + String(decoding: try Data(contentsOf: ledger), as: UTF8.self)
        #expect(!everything.contains("secret") && !everything.contains("token"))
    }

    @Test func aSecondSignalDropsWhatIsLeft() throws {
        let steady = try SteadyProcess("serve", "--port", "0", "--ledger", ledger.path)
        let stubborn = try RawClient.open(port: try steady.port())
        steady.send(SIGTERM)
        #expect(try stubborn.readFrame() == .close(1001))
        steady.send(SIGTERM)
        #expect(try stubborn.readToEnd() == [])
        let (status, output, _) = steady.finish()
        #expect(status == 0)
        #expect(try entries().compactMap(\.socket?.code) == [1006])
        #expect(output.contains("sockets: 1, refused: 0\n") && output.contains("close codes: 1006 × 1\n"))
    }

    @Test func refusalsGoIntoTheLedger() throws {
        let steady = try SteadyProcess("serve", "--port=0", "--ledger", ledger.path, "--refuse=503", "--retry-after=7")
        let head = try RawClient(port: try steady.port()).upgrade("/?token=secret")
        #expect(head.startLine.contains("503") && head["retry-after"] == "7")
        steady.send(SIGTERM)
        let (status, output, _) = steady.finish()
        #expect(status == 0)
        #expect(try entries().compactMap(\.refusal?.status) == [503])
        #expect(output.contains("sockets: 0, refused: 1\n") && output.contains("refusals: 503 × 1\n"))
        #expect(!output.contains("secret"))
    }

    @Test func anOldLedgerIsContinued() throws {
        // The last line of a killed writer is torn.
        try Data("{\"kind\":\"sock".utf8).write(to: ledger)
        let steady = try SteadyProcess("serve", "--port", "0", "--ledger", ledger.path)
        try RawClient.open(port: try steady.port()).close()
        #expect(try steady.readLine(containing: " 1006 by network") != nil)
        steady.send(SIGTERM)
        #expect(steady.finish().status == 0)
        let (entries, problems) = LedgerLines.decode(try Data(contentsOf: ledger))
        #expect(entries.compactMap(\.socket?.code) == [1006])
        #expect(problems.map(\.line) == [1])
    }

    @Test func whatCannotBeServedEndsWithItsOwnCode() throws {
        let steady = try SteadyProcess("serve", "--port", "0")
        let port = try steady.port()
        let second = try SteadyProcess("serve", "--port", "\(port)").finish()
        #expect(second.status == 69)
        #expect(
            second.errors
                == "steady: cannot listen on 127.0.0.1:\(port): Address already in use; choose another --port or --host\n"
        )
        let nowhere = try SteadyProcess("serve", "--port", "0", "--ledger", "/nonexistent/l").finish()
        #expect(nowhere.status == 73)
        #expect(nowhere.errors.contains("No such file or directory") && nowhere.errors.contains("--ledger"))
        let wrong = try SteadyProcess("serve", "--prot", "1").finish()
        #expect(wrong.status == 64)
        #expect(wrong.output == "")
        #expect(wrong.errors == "steady: unknown option '--prot'; did you mean --port?\nTry 'steady serve --help'.\n")
        let help = try SteadyProcess("serve", "--help").finish()
        #expect(help.status == 0 && help.errors == "" && help.output.hasPrefix("Run a WebSocket server"))
        steady.send(SIGINT)
        #expect(steady.finish().status == 0)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
    func aFullDiskIsReportedOnce() throws {
        let steady = try SteadyProcess("serve", "--port", "0", "--ledger", "/dev/full")
        let port = try steady.port()
        for _ in 0..<2 {
            try RawClient.open(port: port).close()
            #expect(try steady.readLine(containing: " 1006 by network") != nil)
        }
        steady.send(SIGTERM)
        let (status, _, errors) = steady.finish()
        #expect(status == 74)
        #expect(errors.components(separatedBy: "cannot be written: No space left on device").count == 2)
    }
}

/// The built `steady` with some arguments. It is killed when the test lets go of it.
private final class SteadyProcess {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private var read = Data()
    private var taken = 0

    init(_ arguments: String...) throws {
        process.executableURL = Self.executable
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// `steady` lies beside the tests: beside their executable on Linux, beside their bundle on macOS.
    private static var executable: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let products = bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
        return products.appendingPathComponent("steady")
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// The next line of standard output that holds a text; nil if the output ended before one came.
    func readLine(containing text: String) throws -> String? {
        while true {
            while let end = read[taken...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: read[taken..<end], as: UTF8.self)
                taken = end + 1
                if line.contains(text) { return line }
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            read += more
        }
    }

    /// The port of the line that says where the server listens.
    func port() throws -> UInt16 {
        let line = try #require(try readLine(containing: "ws://127.0.0.1:"))
        return try #require(UInt16(line.split(separator: ":").last?.filter(\.isNumber) ?? ""))
    }

    /// Waits for the end.
    func finish() -> (status: Int32, output: String, errors: String) {
        read += output.fileHandleForReading.readDataToEndOfFile()
        let complaints = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return (status, String(decoding: read, as: UTF8.self), String(decoding: complaints, as: UTF8.self))
    }
}
