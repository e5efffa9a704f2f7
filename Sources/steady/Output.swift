#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Lines for people and programs. Each is written at once, so that a reader at the other end of a pipe sees it now.
enum Output {
    /// A line on standard output; returns the `errno` that kept it from getting there.
    @discardableResult
    static func line(_ text: String) -> Int32? { write(Array((text + "\n").utf8), to: STDOUT_FILENO) }

    /// A line on standard error.
    static func complaint(_ text: String) { _ = write(Array((text + "\n").utf8), to: STDERR_FILENO) }

    /// Writes every byte, or returns the `errno` that kept it from doing so.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // A terminal is shared, and whoever shares it may have made it non-blocking.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    /// What an `errno` means.
    static func meaning(of number: Int32) -> String { String(cString: strerror(number)) }
}

// Inside `Output` the plain name means its own function.
#if canImport(Glibc)
private let systemWrite = Glibc.write
#elseif canImport(Darwin)
private let systemWrite = Darwin.write
#endif
