internal import ConnectionCore
internal import LedgerServer
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// `steady serve`: a `LedgerServer` until a signal ends it.
enum ServeCommand {
    static let command = Command(spec: ServeArguments.spec, run: run)

    @Sendable
    private static func run(_ arguments: ParsedArguments) async throws(UsageError) -> ExitCode {
        let behaviour = try ServeArguments.behaviour(arguments)
        let file: LedgerFile?
        do throws(LedgerFile.CannotOpen) {
            if let path = arguments.value(ServeArguments.ledger) {
                file = try LedgerFile(path: path)
            } else {
                file = nil
            }
        } catch {
            Output.complaint("steady: the ledger file cannot be opened: \(error.reason); choose another --ledger")
            return .cannotCreate
        }
        defer { file?.close() }

        // Before the server listens, so that a signal right after the first line already ends it properly.
        let signals = Signals.stream([SIGINT, SIGTERM])
        LedgerServer.raiseDescriptorLimit()
        let report = ServeReport(json: arguments.has(ServeArguments.json), file: file)
        let options = ServeArguments.options(arguments)
        let server = LedgerServer(options, behaviour: behaviour) { report.take($0) }
        let port: UInt16
        do {
            port = try server.start(port: UInt16(arguments.value(ServeArguments.port) ?? 9001))
        } catch {
            Output.complaint("steady: \(error); choose another --port or --host")
            return .unavailable
        }
        let host = options.host.contains(":") ? "[\(options.host)]" : options.host
        report.listening(url: "ws://\(host):\(port)")

        let impatience = Task {
            var seen = 0
            for await _ in signals {
                seen += 1
                if seen == 1 { Task { await server.stop() } } else { Task { await server.kill() } }
            }
        }
        await server.stopped()
        impatience.cancel()
        report.totals()
        return report.fileFailed ? .ioError : .success
    }
}
