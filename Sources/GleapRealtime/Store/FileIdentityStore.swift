public import Foundation
import SteadySocket
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps the identity in a file that only its owner can read (mode 0600), in a directory only its owner can enter (0700).
///
/// A save writes a new file and renames it, so that a crash leaves the old or the new one, never half of it.
public struct FileIdentityStore: IdentityStore {
    /// Where the file is.
    public let directory: URL
    private var path: String { directory.appendingPathComponent("identity.json").path }
    private static let saves = Locked(0)

    /// `$XDG_STATE_HOME/gleap-realtime`, or `.local/state/gleap-realtime` in the home directory.
    public static var standardDirectory: URL {
        let named = ProcessInfo.processInfo.environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let base = named ?? NSHomeDirectory() + "/.local/state"
        return URL(fileURLWithPath: base, isDirectory: true).appendingPathComponent("gleap-realtime", isDirectory: true)
    }

    /// Makes a store; nothing is touched yet. Two projects need two directories.
    ///
    /// - Parameter directory: is made with mode 0700 at the first save. One that is there already must belong to this
    ///   user, and nobody else may be able to enter it.
    public init(directory: URL = standardDirectory) { self.directory = directory }

    /// Reads the file.
    ///
    /// - Throws: `GleapError` with `.storage`.
    public func load() throws -> Data? {
        // Neither a link to elsewhere nor a pipe that never answers.
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot open \(path)")
        }
        defer { close(file) }
        var about = stat()
        guard fstat(file, &about) == 0 else { throw failure("cannot look at \(path)") }
        guard about.st_mode & S_IFMT == S_IFREG, about.st_uid == geteuid(), about.st_mode & 0o077 == 0 else {
            throw GleapError(
                .storage, "\(path) is no plain file of this user's own with mode 0600; it may be forged, so remove it")
        }
        guard about.st_size <= 16 << 20 else { throw GleapError(.storage, "\(path) is larger than 16 MiB; remove it") }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count == 0 { return data }
            if count > 0 {
                data += buffer[..<count]
            } else if errno != EINTR {
                throw failure("cannot read \(path)")
            }
        }
    }

    /// Replaces the file.
    ///
    /// - Throws: `GleapError` with `.storage`.
    public func save(_ data: Data) throws {
        try makeDirectory()
        let number = Self.saves.withLock { saves in
            saves += 1
            return saves
        }
        let draft = "\(path).\(getpid()).\(number)"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("cannot make \(draft)") }
        do {
            defer { close(file) }
            try write(data, to: file)
            // Whatever the umask is; and on the disk before the name is.
            guard fchmod(file, 0o600) == 0, fsync(file) == 0 else { throw failure("cannot write \(draft)") }
            guard rename(draft, path) == 0 else { throw failure("cannot replace \(path)") }
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// Removes the file.
    ///
    /// - Throws: `GleapError` with `.storage`.
    public func remove() throws {
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw failure("cannot remove \(path)") }
    }

    private func makeDirectory() throws {
        if mkdir(directory.path, 0o700) != 0 {
            if errno == ENOENT {
                try? FileManager.default.createDirectory(
                    at: directory.deletingLastPathComponent(), withIntermediateDirectories: true)
                _ = mkdir(directory.path, 0o700)
            } else if errno != EEXIST {
                throw failure("cannot make the directory \(directory.path)")
            }
        }
        var about = stat()
        guard stat(directory.path, &about) == 0 else { throw failure("cannot make the directory \(directory.path)") }
        guard about.st_mode & S_IFMT == S_IFDIR, about.st_uid == geteuid(), about.st_mode & 0o077 == 0 else {
            throw GleapError(
                .storage,
                "\(directory.path) is no directory that only this user can enter; chmod it to 0700 or name another")
        }
    }

    private func write(_ data: Data, to file: Int32) throws {
        var rest = Array(data)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw failure("cannot write \(path)")
            }
        }
    }

    private func failure(_ what: String) -> GleapError {
        GleapError(.storage, what, underlying: String(cString: strerror(errno)))
    }
}

// Inside the store the plain name means its own function.
#if canImport(Glibc)
private let systemWrite = Glibc.write
#elseif canImport(Musl)
private let systemWrite = Musl.write
#else
private let systemWrite = Darwin.write
#endif
