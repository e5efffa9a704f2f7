// Prints the network path as JSON lines: {"path":"online","fingerprint":"0123456789abcdef"}.
//
// usage: path-probe [--uid N]     --uid gives up root for that user before anything else
// Each line "restart" on standard input restarts the monitor; the end of standard input ends the program.
// Exit code: 0 at the end of input, 2 for wrong usage or if root cannot be given up.

#if os(Linux)
import ConnectionCore
import Glibc
import SteadySocket

/// One write per line, so that a reader at the other end of a pipe gets it at once.
func put(_ line: String, to descriptor: Int32) {
    let bytes = Array("\(line)\n".utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else { exit(1) }
}

func fail(_ message: String) -> Never {
    put("path-probe: \(message)", to: STDERR_FILENO)
    exit(2)
}

func giveUpRoot(for user: uid_t) {
    guard setgroups(0, nil) == 0, setgid(user) == 0, setuid(user) == 0, setuid(0) != 0 else {
        fail("cannot become user \(user); run it as root")
    }
}

func line(_ path: NetworkPath) -> String {
    switch path {
    case .unknown: return #"{"path":"unknown"}"#
    case .offline: return #"{"path":"offline"}"#
    case .online(let fingerprint):
        let digits = String(fingerprint, radix: 16)
        let padding = String(repeating: "0", count: 16 - digits.count)
        return #"{"path":"online","fingerprint":"\#(padding)\#(digits)"}"#
    }
}

let arguments = CommandLine.arguments.dropFirst()
switch (arguments.first, arguments.dropFirst().first.flatMap { uid_t($0) }, arguments.count) {
case (nil, _, _): break
case ("--uid", let user?, 2): giveUpRoot(for: user)
default: fail("wrong arguments; usage: path-probe [--uid N]")
}

let monitor = RouteNetlinkMonitor()
monitor.start { put(line($0), to: STDOUT_FILENO) }
while let command = readLine() {
    guard command == "restart" else { fail("unknown command; the only one is restart") }
    monitor.restart()
}
monitor.stop()
#else
print("path-probe: only Linux has route netlink")
#endif
