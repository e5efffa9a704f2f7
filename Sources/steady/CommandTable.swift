/// One command of the tool: what it accepts and what it does.
struct Command: Sendable {
    let spec: CommandSpec
    /// Runs to the end of the command. What is wrong with a combination of arguments is thrown as a `UsageError`;
    /// everything else is said on standard error and told by the exit code.
    let run: @Sendable (ParsedArguments) async throws(UsageError) -> ExitCode
}

/// What a command line asks for.
enum Invocation: Sendable {
    case run(Command, ParsedArguments)
    case print(String)
}

/// Every command, in the order of the help. A new one is one line here and one file of its own.
struct CommandTable: Sendable {
    var commands: [Command]

    static let all = CommandTable(commands: [ConnectCommand.command, ServeCommand.command, DemoCommand.command])

    static let version = "0.1.0"

    /// Reads a whole command line, without the name of the program. Pure: nothing is printed, nothing exits.
    func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        guard let first = arguments.first else {
            throw UsageError("no command given; choose one of: \(names.joined(separator: ", "))")
        }
        let rest = Array(arguments.dropFirst())
        func end(at index: Int) throws(UsageError) {
            if index < rest.count { throw UsageError("unexpected argument \(quoted(rest[index])); remove it") }
        }
        switch first {
        case "--help", "-h":
            try end(at: 0)
            return .print(helpText)
        case "--version":
            try end(at: 0)
            return .print("steady \(Self.version)")
        case "help":
            try end(at: 1)
            guard let name = rest.first else { return .print(helpText) }
            return .print(try command(name).spec.helpText)
        default:
            let command = try command(first)
            guard let parsed = try command.spec.parse(rest) else { return .print(command.spec.helpText) }
            return .run(command, parsed)
        }
    }

    private var names: [String] { commands.map(\.spec.name) }

    private func command(_ name: String) throws(UsageError) -> Command {
        if let command = commands.first(where: { $0.spec.name == name }) { return command }
        let known = names.joined(separator: ", ")
        if name.hasPrefix("-") { throw UsageError("unknown option \(quoted(name)); the command comes first: \(known)") }
        let hint = nearest(to: name, among: names + ["help"]).map { "did you mean \($0)?" } ?? "choose one of: \(known)"
        throw UsageError("unknown command \(quoted(name)); \(hint)")
    }

    private var helpText: String {
        """
        steady: one healthy WebSocket per foreground session, and a server that knows why each one closed.

        Usage: steady COMMAND [options]

        Commands:
        \(helpTable(commands.map { ($0.spec.name, $0.spec.summary) }))

        Options:
        \(helpTable([("-h, --help", "Print this help and exit."), ("    --version", "Print the version and exit.")]))

        'steady COMMAND --help' explains a command and its exit codes; a wrong command line ends with \
        \(ExitCode.usage.rawValue).
        """
    }
}
