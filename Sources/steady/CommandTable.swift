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

    static let all = CommandTable(commands: [
        ConnectCommand.command, ServeCommand.command, DemoCommand.command, StormCommand.command,
        DayCommand.command, LoopCommands.flap, LoopCommands.crashLoop,
        CheckCommand.command, QueueCommand.command,
    ])

    static let version = "0.1.0"

    /// Reads a whole command line, without the name of the program. Pure: nothing is printed, nothing exits.
    func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        guard let first = arguments.first else {
            throw UsageError("no command given; choose one of: \(names.joined(separator: ", "))")
        }
        let words = Array(arguments.dropFirst())
        func end(_ rest: [String]) throws(UsageError) {
            if let extra = rest.first { throw UsageError("unexpected argument \(quoted(extra)); remove it") }
        }
        switch first {
        case "--help", "-h":
            try end(words)
            return .print(helpText)
        case "--version":
            try end(words)
            return .print("steady \(Self.version)")
        case "help":
            guard !words.isEmpty else { return .print(helpText) }
            if words.count == 1, let group = group(words[0]) { return .print(group) }
            let (command, rest) = try command(words)
            try end(rest)
            return .print(command.spec.helpText)
        default:
            if arguments.count == 2, ["--help", "-h"].contains(arguments[1]), let group = group(first) {
                return .print(group)
            }
            let (command, rest) = try command(arguments)
            guard let parsed = try command.spec.parse(rest) else { return .print(command.spec.helpText) }
            return .run(command, parsed)
        }
    }

    private var names: [String] { commands.map(\.spec.name) }

    /// The commands whose names begin with this word and a space.
    private func members(of group: String) -> [Command] { commands.filter { $0.spec.name.hasPrefix(group + " ") } }

    /// What there is in a group; nil if there is no such group.
    private func group(_ name: String) -> String? {
        let members = members(of: name)
        guard !members.isEmpty else { return nil }
        return """
            Usage: steady \(name) COMMAND [options]

            Commands:
            \(helpTable(members.map { ($0.spec.name, $0.spec.summary) }))
            """
    }

    /// The command a line begins with, one word or two, and what follows it.
    private func command(_ words: [String]) throws(UsageError) -> (command: Command, rest: [String]) {
        let name = words[0]
        if let command = commands.first(where: { $0.spec.name == name }) { return (command, Array(words.dropFirst())) }
        let members = members(of: name)
        guard !members.isEmpty else { throw unknown(name) }
        let choices = members.map { String($0.spec.name.dropFirst(name.count + 1)) }
        let known = choices.joined(separator: ", ")
        guard words.count > 1 else { throw UsageError("\(name) needs a command; choose one of: \(known)") }
        guard let index = choices.firstIndex(of: words[1]) else {
            let hint = nearest(to: words[1], among: choices).map { "did you mean \(name) \($0)?" }
            throw UsageError("unknown command \(quoted("\(name) \(words[1])")); \(hint ?? "choose one of: \(known)")")
        }
        return (members[index], Array(words.dropFirst(2)))
    }

    private func unknown(_ name: String) -> UsageError {
        let groups = names.compactMap { $0.split(separator: " ").first.map(String.init) }
        let choices = groups.indices.filter { groups.firstIndex(of: groups[$0]) == $0 }.map { groups[$0] }
        let known = choices.joined(separator: ", ")
        if name.hasPrefix("-") {
            return UsageError("unknown option \(quoted(name)); the command comes first: \(known)")
        }
        let hint =
            nearest(to: name, among: choices + ["help"]).map { "did you mean \($0)?" } ?? "choose one of: \(known)"
        return UsageError("unknown command \(quoted(name)); \(hint)")
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
