/// What one command accepts. The parser, the help and the error texts all come from here.
struct CommandSpec: Sendable {
    /// The word on the command line.
    let name: String
    /// One line for the list of commands.
    let summary: String
    /// Paragraphs below the usage line.
    var details: String = ""
    /// Whether arguments may hold secrets, so that the error about one too many does not repeat it: a header without
    /// quotes falls apart into several.
    var hidesArguments = false
    var positionals: [AnyPositional] = []
    var options: [AnyArgument] = []
    /// The exit codes this command can end with; the one for usage errors is added.
    var exitCodes: [ExitCode] = [.success, .failure]

    /// The long options, with the one every command has.
    var allOptions: [AnyArgument] { options + [CommandSpec.help.argument] }

    static let help = Flag("help", short: "h", "Print this help and exit.")
}

/// What was on the command line, checked against a `CommandSpec`.
struct ParsedArguments: Sendable {
    /// The texts of every option by name, in the order given; flags have an empty text.
    fileprivate(set) var options: [String: [String]] = [:]
    fileprivate(set) var positionals: [String: String] = [:]

    /// Whether the flag was given.
    func has(_ flag: Flag) -> Bool { options[flag.name] != nil }

    /// The value of an option; nil if it was not given.
    func value<Value>(_ option: Option<Value>) -> Value? { values(option).last }

    /// The values of a repeatable option, in the order given.
    func values<Value>(_ option: Option<Value>) -> [Value] {
        (options[option.name] ?? []).compactMap(option.kind.parse)
    }

    /// The value of a positional; nil if it was left out.
    func value<Value>(_ positional: Positional<Value>) -> Value? {
        positionals[positional.name].flatMap(positional.kind.parse)
    }
}

extension CommandSpec {
    /// Reads the arguments behind the command's name. Pure: nothing is printed, nothing exits.
    ///
    /// Returns nil if help was asked for. Everything after `--` is positional.
    func parse(_ arguments: [String]) throws(UsageError) -> ParsedArguments? {
        var rest = arguments[...]
        var parsed = ParsedArguments()
        var places: [String] = []
        while let argument = rest.popFirst() {
            if argument == "--" {
                places += rest
                break
            }
            let word: OptionWord
            if argument.hasPrefix("--") {
                word = try longOption(argument)
            } else if argument.hasPrefix("-"), argument.count > 1 {
                word = try shortOption(argument)
            } else {
                places.append(argument)
                continue
            }
            if word.option.name == CommandSpec.help.name { return nil }
            let text = try value(of: word, from: &rest)
            guard word.option.isRepeatable || parsed.options[word.option.name] == nil else {
                throw fault("\(word.spelling) is given twice; give it once")
            }
            parsed.options[word.option.name, default: []].append(text)
        }
        parsed.positionals = try assign(places)
        return parsed
    }

    /// An option as it stood on the command line.
    private struct OptionWord {
        var option: AnyArgument
        var spelling: String
        /// The value in the same word, behind `=` or glued to a short name.
        var attached: String?
    }

    private func longOption(_ argument: String) throws(UsageError) -> OptionWord {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = allOptions.first(where: { $0.name == name }) else {
            let hint = nearest(to: name, among: allOptions.map(\.name)).map { "; did you mean --\($0)?" } ?? ""
            throw fault("unknown option \(quoted("--" + name))\(hint)")
        }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        return OptionWord(option: option, spelling: "--\(name)", attached: attached)
    }

    private func shortOption(_ argument: String) throws(UsageError) -> OptionWord {
        let letter = argument[argument.index(after: argument.startIndex)]
        guard let option = allOptions.first(where: { $0.short == letter }) else {
            throw fault("unknown option -\(letter); put -- before a value that starts with a dash")
        }
        let glued = argument.dropFirst(2)
        return OptionWord(option: option, spelling: "-\(letter)", attached: glued.isEmpty ? nil : String(glued))
    }

    private func value(of word: OptionWord, from rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let placeholder = word.option.placeholder else {
            guard word.attached == nil else { throw fault("\(word.spelling) takes no value; leave it out") }
            return ""
        }
        if let attached = word.attached { return try check(attached, of: word) }
        // "-5" may be a value; "--next" is far more likely the next option than a value of this one.
        guard let next = rest.first, !next.hasPrefix("--") else {
            throw fault("\(word.spelling) needs a value: \(word.spelling) \(placeholder)")
        }
        rest.removeFirst()
        return try check(next, of: word)
    }

    private func check(_ text: String, of word: OptionWord) throws(UsageError) -> String {
        if let complaint = word.option.complaint(text) { throw fault("\(word.spelling) \(complaint)") }
        return text
    }

    private func assign(_ places: [String]) throws(UsageError) -> [String: String] {
        var assigned: [String: String] = [:]
        for (index, positional) in positionals.enumerated() {
            guard index < places.count else {
                guard positional.isRequired else { break }
                throw fault("\(positional.name) is missing: \(positional.help)")
            }
            if let complaint = positional.complaint(places[index]) { throw fault("\(positional.name) \(complaint)") }
            assigned[positional.name] = places[index]
        }
        if places.count > positionals.count {
            if hidesArguments {
                throw fault("\(places.count) arguments where \(positionals.count) belong; put quotes around spaces")
            }
            throw fault("unexpected argument \(quoted(places[positionals.count])); remove it")
        }
        return assigned
    }

    private func fault(_ message: String) -> UsageError { UsageError(message, command: name) }
}
