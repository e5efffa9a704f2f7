internal import ConnectionCore
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// `steady connect URL`: a session on the standard streams.
enum ConnectCommand {
    static let command = Command(spec: ConnectArguments.spec, run: run)

    @Sendable
    private static func run(_ arguments: ParsedArguments) async throws(UsageError) -> ExitCode {
        let settings = try ConnectArguments.settings(arguments)
        let session = ConnectSession(settings, output: .standard(json: settings.json))
        return await session.run(
            InputLines(descriptor: STDIN_FILENO, limit: settings.configuration.maximumMessageBytes),
            signals: Signals.stream([SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]))
    }
}
