extension CommandSpec {
    /// The usage line: `steady serve [options] FILE [NAME]`.
    var usage: String {
        let places = positionals.map { $0.isRequired ? $0.name : "[\($0.name)]" }
        return (["steady", name, "[options]"] + places).joined(separator: " ")
    }

    /// Everything `--help` prints.
    var helpText: String {
        var sections = ["\(summary)\n\nUsage: \(usage)"]
        if !details.isEmpty { sections.append(details) }
        if !positionals.isEmpty {
            sections.append("Arguments:\n" + helpTable(positionals.map { ($0.name, $0.help) }))
        }
        sections.append("Options:\n" + helpTable(allOptions.map { ($0.synopsis, $0.explanation) }))
        sections.append("Exit codes:\n" + helpTable(documentedExitCodes.map { (String($0.rawValue), $0.meaning) }))
        return sections.joined(separator: "\n\n")
    }

    private var documentedExitCodes: [ExitCode] {
        let codes = Set(exitCodes + [.usage])
        return ExitCode.allCases.filter(codes.contains)
    }
}

extension AnyArgument {
    fileprivate var synopsis: String {
        let long = "--\(name)" + (placeholder.map { " \($0)" } ?? "")
        return short.map { "-\($0), \(long)" } ?? "    \(long)"
    }

    fileprivate var explanation: String {
        var text = help
        if !hint.isEmpty { text += " (\(hint))" }
        if isRepeatable, placeholder != nil { text += " May be repeated." }
        return text
    }
}

/// Two columns; the second one wraps at 100 columns.
func helpTable(_ rows: [(String, String)]) -> String {
    let width = min(28, rows.map(\.0.count).max() ?? 0)
    let indent = String(repeating: " ", count: width + 4)
    return rows.map { left, right in
        let lines = wrap(right, at: 100 - indent.count)
        let head = "  " + left
        let fits = left.count <= width
        let first = fits ? head + String(repeating: " ", count: indent.count - head.count) : head + "\n" + indent
        return first + lines.joined(separator: "\n" + indent)
    }.joined(separator: "\n")
}

private func wrap(_ text: String, at width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
        let line = lines[lines.count - 1]
        if line.isEmpty {
            lines[lines.count - 1] = String(word)
        } else if line.count + 1 + word.count <= width {
            lines[lines.count - 1] = line + " " + word
        } else {
            lines.append(String(word))
        }
    }
    return lines
}
