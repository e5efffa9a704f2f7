internal import ConnectionCore
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#endif
internal import Foundation

/// Writing the results of the `fleet` commands to files.
enum FleetOutput {
    /// Whether gnuplot is there; false after a complaint.
    static func canPlot() -> Bool {
        guard Gnuplot.executable() == nil else { return true }
        Output.complaint("steady: \(Gnuplot.missing)")
        return false
    }

    /// Whether files can be made or replaced at these places; false after a complaint.
    static func canCreate(_ paths: [String]) -> Bool {
        for path in paths {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let files = FileManager.default
            var isFolder: ObjCBool = false
            let exists = files.fileExists(atPath: path, isDirectory: &isFolder)
            guard !isFolder.boolValue, files.isWritableFile(atPath: exists ? path : folder) else {
                Output.complaint("steady: cannot write \(quoted(path)): it cannot be made or replaced")
                return false
            }
        }
        return true
    }

    /// Writes rows of comma-separated values; false after a complaint.
    static func csv(_ rows: [[String]], to path: String) -> Bool {
        let text = rows.map { $0.joined(separator: ",") + "\n" }.joined()
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            return true
        } catch {
            Output.complaint("steady: cannot write \(quoted(path)): \(error.localizedDescription)")
            return false
        }
    }

    /// Draws; false after a complaint.
    static func plot(_ panels: [Gnuplot.Panel], to file: PlotFile) -> Bool {
        do {
            try Gnuplot.draw(panels, to: file)
            return true
        } catch let failure as Gnuplot.Failure {
            Output.complaint("steady: \(failure.message)")
        } catch {
            Output.complaint("steady: cannot run gnuplot: \(error.localizedDescription)")
        }
        return false
    }

    /// A table whose first column is flush left and whose others are flush right.
    static func table(_ rows: [[String]]) -> String {
        let widths = rows.reduce(into: [Int]()) { widths, row in
            for (index, cell) in row.enumerated() {
                if index == widths.count { widths.append(0) }
                widths[index] = max(widths[index], cell.count)
            }
        }
        return rows.map { row in
            row.enumerated().map { index, cell in
                let padding = String(repeating: " ", count: widths[index] - cell.count)
                return index == 0 ? cell + padding : padding + cell
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    /// What a run cost, for people; on standard error, so that results can be compared byte by byte.
    static func cost(_ label: String, since start: ContinuousClock.Instant, events: Int, bytesPerClient: Double) {
        let wall = (ContinuousClock.now - start).inSeconds
        let rate = JSONText.decimal(Double(events) / max(wall, 1e-9) / 1e6, 1) ?? "?"
        Output.complaint(
            "steady: \(label): \(number(wall, 2)) s, \(grouped(events)) machine events, \(rate) M/s, "
                + "\(Int(bytesPerClient)) bytes per client")
    }
}
