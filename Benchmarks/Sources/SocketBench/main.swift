// What sockets cost the client. The server runs in another process.
//
// usage: SocketBench open URL COUNT               seconds to open COUNT sockets
//        SocketBench idle URL COUNT SECONDS       memory and CPU of COUNT idle sockets, each pinging every 40 s
//        SocketBench echo URL SIZE WINDOW COUNT   COUNT messages of SIZE bytes on one socket, WINDOW in flight
// Prints one JSON object. Exit code: 0, 1 if a socket did not do what it should, 2 for wrong usage.

#if os(Linux)
import CurlTransport
import Glibc
import SteadySocket

let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.dropFirst(2).map { Int($0) ?? 0 }
guard arguments.count > 2, numbers.allSatisfy({ $0 > 0 }) else { fail("wrong arguments", code: 2) }
raiseDescriptorLimit()

let request = try ConnectionRequest(arguments[1])
switch (arguments[0], numbers.count) {
case ("open", 1): measureOpening(request, count: numbers[0])
case ("idle", 2): measureIdling(request, count: numbers[0], seconds: numbers[1])
case ("echo", 3): try measureEcho(request, size: numbers[0], window: numbers[1], count: numbers[2])
default: fail("wrong arguments", code: 2)
}
#else
print("SocketBench: CurlTransport is for Linux only")
#endif
