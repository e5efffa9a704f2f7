#if canImport(FoundationEssentials)
internal import FoundationEssentials
#endif
internal import Foundation

/// A file to draw to.
struct PlotFile: Sendable {
    enum Format: String { case svg, png }

    let path: String
    let format: Format

    /// Nil if the name ends in neither .svg nor .png.
    init?(_ path: String) {
        guard let dot = path.lastIndex(of: "."), dot != path.startIndex,
            let format = Format(rawValue: path[path.index(after: dot)...].lowercased())
        else { return nil }
        self.path = path
        self.format = format
    }
}

/// Draws by handing a script to gnuplot.
enum Gnuplot {
    struct Failure: Error { var message: String }

    /// One line of a panel.
    struct Series {
        var title: String
        var points: [(x: Double, y: Double)]
    }

    struct Panel {
        var title: String
        var x: String
        var y: String
        var logarithmic = false
        /// With labels the series are bars side by side, one group per label; without, lines.
        var labels: [String] = []
        var series: [Series]
    }

    /// Draws the panels one below the other.
    static func draw(_ panels: [Panel], to file: PlotFile) throws {
        guard let gnuplot = executable() else { throw Failure(message: missing) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: gnuplot)
        process.arguments = ["-"]
        let input = Pipe()
        let complaints = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = complaints
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(script(panels, to: file).utf8))
        try input.fileHandleForWriting.close()
        let said = try complaints.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = String(decoding: said, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? "it failed"
            throw Failure(message: "gnuplot could not draw \(file.path): \(text)")
        }
    }

    static let missing = "--plot needs gnuplot, which is not on the PATH; run scripts/setup or install it"

    static func executable() -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { "\($0)/gnuplot" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The script, data included.
    static func script(_ panels: [Panel], to file: PlotFile) -> String {
        let height = 300 * panels.count
        let terminal =
            switch file.format {
            case .svg: "svg size 900,\(height) font 'sans,12' background 'white'"
            case .png: "pngcairo size 900,\(height) font 'sans,10'"
            }
        var lines = [
            "set terminal \(terminal)", "set output \(quote(file.path))", "set multiplot layout \(panels.count),1",
        ]
        lines += ["set grid", "set key outside right"]
        for (number, panel) in panels.enumerated() {
            lines.append("set title \(quote(panel.title))")
            lines.append("set xlabel \(quote(panel.x))")
            lines.append("set ylabel \(quote(panel.y))")
            lines.append(
                panel.logarithmic ? "set logscale y; set format y '10^{%L}'" : "unset logscale; set format y '%g'")
            for (index, series) in panel.series.enumerated() {
                lines.append("$d\(number)_\(index) << END")
                lines += series.points.map { "\($0.x) \($0.y)" } + ["END"]
            }
            let style: String
            if panel.labels.isEmpty {
                style = "using 1:2 with lines lw 2"
            } else {
                let ticks = panel.labels.enumerated().map { "\(quote($0.element)) \($0.offset)" }
                lines.append("set style data histograms; set style fill solid 0.8; set yrange [0:*]")
                lines.append("set xtics rotate by -25 (\(ticks.joined(separator: ", ")))")
                style = "using 2"
            }
            let plots = panel.series.indices.map {
                "$d\(number)_\($0) \(style) title \(quote(panel.series[$0].title))"
            }
            lines.append("plot " + plots.joined(separator: ", "))
        }
        return (lines + ["unset multiplot", "unset output", ""]).joined(separator: "\n")
    }

    private static func quote(_ text: String) -> String {
        "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
    }
}
