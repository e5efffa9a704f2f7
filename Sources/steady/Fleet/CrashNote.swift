internal import WorldCheck

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Says which worlds were being tried when the process crashes; without the seed a crash is hard to find again.
enum CrashNote {
    static func install() {
        // Reading it once makes it, which a handler must not do.
        _ = Running.seeds
        for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS] { signal(number, noteCrash) }
    }
}

/// Runs nothing but system calls that signal-safety(7) allows, then dies of the same signal.
private func noteCrash(_ number: Int32) {
    signal(number, SIG_DFL)
    for thread in 0..<Running.most where Running.seeds[thread] > 0 {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 80) { line in
            var count = 0
            func put(_ byte: UInt8) {
                line[count] = byte
                count += 1
            }
            for byte in ("steady: crashed in the world of seed " as StaticString).withUTF8Buffer({ $0 }) { put(byte) }
            var divisor: UInt64 = 1
            let seed = Running.seeds[thread] - 1
            while seed / divisor >= 10 { divisor *= 10 }
            while divisor > 0 {
                put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: seed / divisor % 10))
                divisor /= 10
            }
            put(UInt8(ascii: "\n"))
            _ = write(STDERR_FILENO, line.baseAddress, count)
        }
    }
    raise(number)
}
