#if os(Linux)
import Glibc

func fail(_ message: String, code: Int32 = 1) -> Never {
    let bytes = Array("SocketBench: \(message)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
    exit(code)
}

/// A socket needs a descriptor, and the soft limit is often 1,024.
func raiseDescriptorLimit() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// Seconds on a monotonic clock.
func seconds() -> Double { clock(CLOCK_MONOTONIC) }

/// CPU seconds of all threads of this process, in the kernel and outside.
func processorSeconds() -> Double { clock(CLOCK_PROCESS_CPUTIME_ID) }

private func clock(_ id: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(id, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Resident memory of this process in bytes.
func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "re") else { fail("/proc/self/statm cannot be read") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { fail("/proc/self/statm is empty") }
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
        fail("/proc/self/statm is not what proc(5) says")
    }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}
#endif
