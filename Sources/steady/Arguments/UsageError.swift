/// A command line that cannot be run. The text names the argument and says what to do.
struct UsageError: Error, Equatable {
    var message: String
    /// The command whose help explains more; nil before a command was recognised.
    var command: String?

    init(_ message: String, command: String? = nil) {
        self.message = message
        self.command = command
    }

    /// The message and where to read on, as printed on standard error.
    var text: String {
        let help = command.map { "steady \($0) --help" } ?? "steady --help"
        return "steady: \(message)\nTry '\(help)'."
    }
}
