// Echo client for the Autobahn fuzzing server, driven by scripts/conformance.
//
// Usage: conformance-client --url ws://127.0.0.1:9001 --agent NAME [--deflate]

#if os(Linux)
import ConnectionCore
import CurlTransport
import Dispatch
import Glibc
import SteadyTransport
import Synchronization

/// Longer than the suite itself waits for any case.
let caseLimit = DispatchTimeInterval.seconds(180)

struct Arguments {
    var url = ""
    var agent = ""
    var deflate = false

    init(_ words: some Sequence<String>) {
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--url": url = words.next() ?? ""
            case "--agent": agent = words.next() ?? ""
            case "--deflate": deflate = true
            default: fail("unknown argument \(word); the arguments are --url URL --agent NAME [--deflate]", status: 2)
            }
        }
        while url.hasSuffix("/") { url.removeLast() }
        guard !url.isEmpty, !agent.isEmpty else { fail("--url and --agent are needed, each with a value", status: 2) }
    }
}

func fail(_ message: String, status: Int32 = 1) -> Never {
    let line = Array("conformance-client: \(message)\n".utf8)
    write(STDERR_FILENO, line, line.count)
    exit(status)
}

/// Opens one socket, hands every message to `react`, and returns how it closed.
func run(
    _ transport: CurlTransport, _ url: String, react: @escaping @Sendable (any TransportSocket, Message) -> Void
) throws -> TransportClose {
    let request = try ConnectionRequest(url)
    // Locked until `open` has returned, so that a message cannot come before there is a socket to answer on.
    let opened = Mutex<(any TransportSocket)?>(nil)
    let ending = Mutex<TransportClose?>(nil)
    let ended = DispatchSemaphore(value: 0)
    opened.withLock { socket in
        socket = transport.open(request, attempt: AttemptID(1), limits: TransportLimits()) { fact in
            switch fact {
            case .message(let message): react(opened.withLock { $0! }, message)
            case .closed(let close):
                ending.withLock { $0 = close }
                ended.signal()
            case .opened, .pingReceived, .pongReceived: break
            }
        }
        socket?.receive(.max)
    }
    guard ended.wait(timeout: .now() + caseLimit) == .success, let close = ending.withLock({ $0 }) else {
        fail("\(url) did not end within its limit")
    }
    return close
}

let arguments = Arguments(CommandLine.arguments.dropFirst())
do {
    let transport = try CurlTransport(options: .init(proxy: "", permessageDeflate: arguments.deflate))
    let count = Mutex(0)
    let counting = try run(transport, "\(arguments.url)/getCaseCount") { _, message in
        if case .text(let text) = message { count.withLock { $0 = Int(text) ?? 0 } }
    }
    let cases = count.withLock { $0 }
    guard cases > 0 else { fail("the server names no cases; the socket ended with \(counting)") }
    for number in 1...cases {
        // How a case ends is for the server to judge; many make the client fail on purpose.
        _ = try run(transport, "\(arguments.url)/runCase?case=\(number)&agent=\(arguments.agent)") { socket, message in
            socket.send(message) { _ in }
        }
    }
    _ = try run(transport, "\(arguments.url)/updateReports?agent=\(arguments.agent)") { _, _ in }
    print("\(cases) cases run as \(arguments.agent)")
} catch {
    fail("\(error)")
}
#else
print("The conformance client runs on Linux only.")
#endif
