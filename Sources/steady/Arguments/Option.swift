/// An option that takes a value: `--name VALUE` or `--name=VALUE`, and `-n VALUE` or `-nVALUE` if it has a short name.
struct Option<Value: Sendable>: Sendable {
    let name: String
    let short: Character?
    /// The word that stands for the value in the help.
    let placeholder: String
    let help: String
    let kind: ValueKind<Value>

    init(
        _ name: String, short: Character? = nil, _ placeholder: String, _ help: String, _ kind: ValueKind<Value>
    ) {
        self.name = name
        self.short = short
        self.placeholder = placeholder
        self.help = help
        self.kind = kind
    }

    /// The option may be given once.
    var once: AnyArgument { AnyArgument(self, isRepeatable: false) }
    /// The option may be given any number of times.
    var repeatable: AnyArgument { AnyArgument(self, isRepeatable: true) }
}

/// An option without a value. Giving it twice is harmless.
struct Flag: Sendable {
    let name: String
    let short: Character?
    let help: String

    init(_ name: String, short: Character? = nil, _ help: String) {
        self.name = name
        self.short = short
        self.help = help
    }

    /// The flag as an entry of a command's list.
    var argument: AnyArgument { AnyArgument(self) }
}

/// An argument known by its place.
struct Positional<Value: Sendable>: Sendable {
    /// In capitals: `URL`.
    let name: String
    let help: String
    let kind: ValueKind<Value>

    init(_ name: String, _ help: String, _ kind: ValueKind<Value>) {
        self.name = name
        self.help = help
        self.kind = kind
    }

    /// The argument has to be there.
    var required: AnyPositional { AnyPositional(self, isRequired: true) }
    /// The argument may be left out, if no required one follows.
    var optional: AnyPositional { AnyPositional(self, isRequired: false) }
}

/// An option or flag without its type, as the parser and the help see it.
struct AnyArgument: Sendable {
    let name: String
    let short: Character?
    /// Nil for a flag.
    let placeholder: String?
    let help: String
    let hint: String
    let isRepeatable: Bool
    /// What is wrong with a value, to stand behind the name; nil if it is fine.
    let complaint: @Sendable (String) -> String?

    fileprivate init<Value>(_ option: Option<Value>, isRepeatable: Bool) {
        name = option.name
        short = option.short
        placeholder = option.placeholder
        help = option.help
        hint = option.kind.hint
        self.isRepeatable = isRepeatable
        complaint = option.kind.complaint
    }

    fileprivate init(_ flag: Flag) {
        name = flag.name
        short = flag.short
        placeholder = nil
        help = flag.help
        hint = ""
        isRepeatable = true
        complaint = { _ in nil }
    }
}

/// A positional without its type.
struct AnyPositional: Sendable {
    let name: String
    let help: String
    let isRequired: Bool
    let complaint: @Sendable (String) -> String?

    fileprivate init<Value>(_ positional: Positional<Value>, isRequired: Bool) {
        name = positional.name
        help = positional.help
        self.isRequired = isRequired
        complaint = positional.kind.complaint
    }
}

extension ValueKind {
    fileprivate var complaint: @Sendable (String) -> String? {
        { [self] text in
            guard parse(text) == nil else { return nil }
            return "cannot be \(isSecret ? "what it is" : quoted(text)); give \(expectation)"
        }
    }
}

/// A piece of a command line, fit for an error: without a query, which may hold a secret, and not too long.
func quoted(_ text: String) -> String {
    let line = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : Character($0) }
    let shown = line.prefix(60).prefix { $0 != "?" }
    return "'\(String(shown))\(shown.count < line.count ? "…" : "")'"
}
