#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A system call that failed.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was tried: "listen on 127.0.0.1:80".
    package var action: String
    /// The `errno`.
    package var number: Int32

    package var description: String { "cannot \(action): \(String(cString: strerror(number)))" }
}

/// The outcome of a read or write that must not wait.
enum Transfer {
    case bytes(Int)
    case wouldBlock
    /// The peer has closed its direction (reads only).
    case endOfStream
    case failed(Int32)
}

/// The few calls on sockets the server needs, the same on Linux and Darwin. All sockets are non-blocking.
enum Posix {
    /// A socket bound to a numeric address. Until `listen` is called, TCP refuses connections to it.
    static func bind(host: String, port: UInt16) throws(SystemError) -> Int32 {
        let action = "listen on \(host):\(port)"
        var storage = sockaddr_storage()
        let length = try fill(&storage, host: host, port: port, action: action)
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let descriptor = socket(Int32(storage.ss_family), stream, 0)
        guard descriptor >= 0 else { throw SystemError(action: action, number: errno) }
        // Without it the port could not be taken again while old connections are in TIME_WAIT.
        set(descriptor, SOL_SOCKET, SO_REUSEADDR)
        configure(descriptor)
        let bound = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { systemBind(descriptor, $0, length) }
        }
        guard bound == 0 else {
            let number = errno
            close(descriptor)
            throw SystemError(action: action, number: number)
        }
        return descriptor
    }

    /// How many connections may wait to be accepted.
    static let backlog = 4096

    static func listen(_ descriptor: Int32) throws(SystemError) {
        guard systemListen(descriptor, Int32(backlog)) == 0 else { throw SystemError(action: "listen", number: errno) }
    }

    /// The port a socket is bound to.
    static func port(of descriptor: Int32) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &storage) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return address(storage).port
    }

    enum Accepted {
        case connection(Int32, peer: String)
        case none
        /// The process has no descriptor left.
        case exhausted
    }

    static func accept(_ listener: Int32) -> Accepted {
        while true {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = withUnsafeMutablePointer(to: &storage) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { systemAccept(listener, $0, &length) }
            }
            if descriptor >= 0 {
                configure(descriptor)
                set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
                let (host, port) = address(storage)
                return .connection(descriptor, peer: "\(host):\(port)")
            }
            switch errno {
            // The client was gone before it was accepted.
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .none
            }
        }
    }

    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfStream }
            if errno != EINTR { return failure }
        }
    }

    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        #if canImport(Glibc)
        let flags = Int32(MSG_NOSIGNAL)
        #else
        let flags: Int32 = 0
        #endif
        while true {
            let count = send(descriptor, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return .bytes(count) }
            if errno != EINTR { return failure }
        }
    }

    static func finishWriting(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    static func close(_ descriptor: Int32) { _ = systemClose(descriptor) }

    /// Whether the peer has hung up, seen without reading.
    static func hasHungUp(_ descriptor: Int32) -> Bool {
        #if canImport(Glibc)
        // POLLRDHUP, which the headers show only to GNU source.
        let peerClosed: Int16 = 0x2000
        #else
        let peerClosed = Int16(POLLHUP)
        #endif
        var entry = pollfd(fd: descriptor, events: peerClosed, revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Lets the process have as many descriptors as it may.
    static func raiseDescriptorLimit() {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
        // Darwin refuses "unlimited" here.
        limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #endif
        _ = setrlimit(resource, &limit)
    }

    private static var failure: Transfer { errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .failed(errno) }

    private static func configure(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        set(descriptor, SOL_SOCKET, SO_NOSIGPIPE)
        #endif
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
        var on: Int32 = 1
        _ = setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func fill(
        _ storage: inout sockaddr_storage, host: String, port: UInt16, action: String
    ) throws(SystemError) -> socklen_t {
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        if inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v4, as: sockaddr_in.self) }
            return socklen_t(MemoryLayout<sockaddr_in>.size)
        }
        guard inet_pton(AF_INET6, host, &v6.sin6_addr) == 1 else {
            throw SystemError(action: "\(action), which is not a numeric address", number: EINVAL)
        }
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v6, as: sockaddr_in6.self) }
        return socklen_t(MemoryLayout<sockaddr_in6>.size)
    }

    private static func address(_ storage: sockaddr_storage) -> (host: String, port: UInt16) {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        return withUnsafeBytes(of: storage) { bytes in
            if Int32(storage.ss_family) == AF_INET {
                var v4 = bytes.load(as: sockaddr_in.self)
                inet_ntop(AF_INET, &v4.sin_addr, &text, socklen_t(text.count))
                return (string(text), UInt16(bigEndian: v4.sin_port))
            }
            var v6 = bytes.load(as: sockaddr_in6.self)
            inet_ntop(AF_INET6, &v6.sin6_addr, &text, socklen_t(text.count))
            return ("[\(string(text))]", UInt16(bigEndian: v6.sin6_port))
        }
    }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

// Inside `Posix` the plain names mean its own functions.
#if canImport(Glibc)
private let systemBind = Glibc.bind
private let systemListen = Glibc.listen
private let systemClose = Glibc.close
private func systemAccept(
    _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
) -> Int32 { Glibc.accept(listener, address, length) }
#elseif canImport(Darwin)
private let systemBind = Darwin.bind
private let systemListen = Darwin.listen
private let systemClose = Darwin.close
private func systemAccept(
    _ listener: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: UnsafeMutablePointer<socklen_t>
) -> Int32 { Darwin.accept(listener, address, length) }
#endif
