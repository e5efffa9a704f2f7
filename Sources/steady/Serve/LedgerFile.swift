internal import ConnectionLedger
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A ledger on disk. Lines are appended whole, one `write` each, so that a reader or a crash never sees half of one
/// that was reported written.
struct LedgerFile {
    private let descriptor: Int32

    /// Why the file cannot be opened.
    struct CannotOpen: Error { var reason: String }

    /// Opens or creates the file; what is in it stays.
    init(path: String) throws(CannotOpen) {
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw CannotOpen(reason: Output.meaning(of: errno)) }
        // A writer that was killed may have left half a line; the next one must not be glued to it.
        var last: UInt8 = 0
        let size = lseek(descriptor, 0, SEEK_END)
        if size > 0, pread(descriptor, &last, 1, size - 1) == 1, last != UInt8(ascii: "\n") {
            _ = Output.write([UInt8(ascii: "\n")], to: descriptor)
        }
    }

    /// Appends a line; returns what went wrong, nil if nothing did.
    func append(_ line: [UInt8]) -> String? {
        Output.write(line, to: descriptor).map(Output.meaning)
    }

    func close() { _ = systemClose(descriptor) }
}

// Inside `LedgerFile` the plain name means its own function.
#if canImport(Glibc)
private let systemClose = Glibc.close
#elseif canImport(Darwin)
private let systemClose = Darwin.close
#endif
