internal import Dispatch
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Signals as a stream. While it is read, they no longer do what they do by default.
enum Signals {
    /// The signals with these numbers, in the order they arrive, until the reader ends. One stream at a time.
    ///
    /// A handler writes the number to a pipe. (A dispatch signal source needs the signal ignored and blocked in every
    /// thread; on Linux one that arrives while the first thread does not block it is lost.)
    static func stream(_ numbers: [Int32]) -> AsyncStream<Int32> {
        AsyncStream { continuation in
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return continuation.finish() }
            let (reading, writing) = (ends[0], ends[1])
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            signalPipe = writing
            for number in numbers { signal(number, noteSignal) }

            let source = DispatchSource.makeReadSource(
                fileDescriptor: reading, queue: DispatchQueue(label: "steady.signals"))
            source.setEventHandler {
                var number: UInt8 = 0
                while read(reading, &number, 1) == 1 { continuation.yield(Int32(number)) }
            }
            source.setCancelHandler {
                signalPipe = -1
                close(reading)
                close(writing)
            }
            source.activate()
            // Handed over only to be cancelled, which any thread may do.
            nonisolated(unsafe) let handed = source
            continuation.onTermination = { @Sendable _ in
                for number in numbers { signal(number, SIG_IGN) }
                handed.cancel()
            }
        }
    }
}

/// Where the handler writes to. A plain integer with a constant for its first value, so that the handler runs nothing but
/// system calls that signal-safety(7) allows; written while no handler is installed.
nonisolated(unsafe) private var signalPipe: Int32 = -1

private func noteSignal(_ number: Int32) {
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(signalPipe, &byte, 1)
    errno = before
}
