#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A bar on standard error while a run goes on; nothing unless that is a terminal.
struct ProgressBar {
    private let label: String
    private let isVisible: Bool
    private var shown = -1

    init(_ label: String, isVisible: Bool = isatty(STDERR_FILENO) == 1) {
        self.label = label
        self.isVisible = isVisible
    }

    /// Shows this share of the whole.
    mutating func show(_ share: Double) {
        let percent = Int(min(max(share, 0), 1) * 100)
        guard isVisible, percent != shown else { return }
        shown = percent
        let filled = percent * 30 / 100
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
        write("\r\(label) \(bar) \(percent) %")
    }

    /// Takes the bar away.
    func clear() {
        guard isVisible, shown >= 0 else { return }
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) { _ = Output.write(Array(text.utf8), to: STDERR_FILENO) }
}
