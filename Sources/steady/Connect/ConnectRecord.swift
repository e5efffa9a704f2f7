internal import ConnectionCore
internal import SteadySocket
internal import SteadyTransport

/// Something `steady connect` has to say.
enum ConnectRecord: Sendable {
    /// Every status but open, for which `.opened` says more.
    case status(ConnectionStatus)
    case opened(AttemptID, OpeningResult, gap: Duration?)
    case message(Message)
    case closed(AttemptID, TransportClose)
    case sent(line: Int, bytes: Int)
    /// A line of the input that was not sent; `code` is nil if it never could be.
    case unsent(line: Int, why: String, code: ConnectionError.Code?)
    case app(AppState)
    case failure(String)
    case decision(Decision)
}

/// Where a line of text goes.
enum OutputTarget: Hashable, Sendable {
    case standardOutput, standardError
}

extension ConnectRecord {
    /// What people read; nil for what is only of use to programs. The text of a message is as it came; everything else
    /// a peer chose is made printable.
    var text: (target: OutputTarget, text: String)? {
        switch self {
        case .message(.text(let text)): (.standardOutput, text)
        case .message(.binary(let data)): (.standardOutput, hexSummary(data))
        case .status(let status): (.standardError, "\(status)")
        case .opened(let attempt, let result, let gap): (.standardError, openedText(attempt, result, gap: gap))
        case .closed(let attempt, let close): (.standardError, closedText(attempt, close))
        case .sent: nil
        case .unsent(let line, let why, _): (.standardError, "steady: line \(line) was not sent: \(why)")
        case .app(.background): (.standardError, "app: background")
        case .app(.foreground): (.standardError, "app: foreground")
        case .failure(let message): (.standardError, "steady: \(message)")
        case .decision(let decision):
            (.standardError, "+\(thousandths(decision.at - .zero)) s \(printable(decision.description))")
        }
    }
}

private func openedText(_ attempt: AttemptID, _ result: OpeningResult, gap: Duration?) -> String {
    var facts: [String] = []
    if let subprotocol = result.subprotocol { facts.append("subprotocol \(printable(subprotocol))") }
    if !result.extensions.isEmpty { facts.append("extensions \(printable(result.extensions))") }
    if let gap { facts.append("after a gap of \(thousandths(gap)) s") }
    return "open \(attempt)" + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
}

private func closedText(_ attempt: AttemptID, _ close: TransportClose) -> String {
    let text = "closed \(attempt): \(printable(close.description))"
    // The answer to our own Close frame repeats our own words.
    if case .closedLocally = close.reason { return text }
    return close.closeReason.isEmpty ? text : "\(text) \"\(printable(close.closeReason))\""
}

/// The length and the first bytes.
private func hexSummary(_ bytes: some Collection<UInt8>) -> String {
    let shown = bytes.prefix(32).map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
    let rest = bytes.count > shown.count ? "…" : ""
    return "binary, \(bytes.count) bytes" + (shown.isEmpty ? "" : ": \(shown.joined())\(rest)")
}

private func thousandths(_ duration: Duration) -> String {
    let milliseconds = max(0, duration.inNanoseconds / 1_000_000)
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
}

/// The text without what a terminal would obey: a peer chose it, and it must not do more than be read.
func printable(_ text: String, keeping kept: Set<Unicode.Scalar> = []) -> String {
    func obeyed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && !kept.contains(scalar)
    }
    guard text.unicodeScalars.contains(where: obeyed) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { obeyed($0) ? "\u{FFFD}" : $0 }))
}
