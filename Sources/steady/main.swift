#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

// A closed pipe is an error of the write, not the end of the process: sockets are still to be closed properly.
signal(SIGPIPE, SIG_IGN)

let code: ExitCode
do throws(UsageError) {
    switch try CommandTable.all.parse(Array(CommandLine.arguments.dropFirst())) {
    case .print(let text):
        Output.line(text)
        code = .success
    case .run(let command, let arguments):
        code = try await command.run(arguments)
    }
} catch {
    Output.complaint(error.text)
    code = .usage
}
exit(code.rawValue)
