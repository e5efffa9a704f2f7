#if os(Linux)
import CNetlink
import Glibc

/// A route netlink socket. It needs no privilege; its descriptor closes with the last reference.
final class NetlinkSocket: Sendable {
    /// What one read gave.
    enum Reading {
        /// A datagram of the kernel.
        case datagram(ArraySlice<UInt8>)
        /// Nothing is there now.
        case nothing
        /// Datagrams were dropped, because the receive buffer was full or one was larger than we read.
        case lost
        /// The socket is of no further use.
        case failed
    }

    let descriptor: Int32

    /// Opens a socket that joins the `RTMGRP_*` groups of `groups`; nil if the system does not allow it.
    init?(groups: UInt32, blocking: Bool) {
        let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue) | (blocking ? 0 : Int32(SOCK_NONBLOCK.rawValue))
        descriptor = socket(AF_NETLINK, kind, Int32(NETLINK_ROUTE))
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = groups
        let bound = withUnsafeBytes(of: &address) {
            bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
        }
        guard bound == 0 else { return nil }
        // The kernel answers a dump at once; the limit only keeps a broken sandbox from hanging us.
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Reads one datagram.
    func read() -> Reading {
        var sender = sockaddr_nl()
        var senderSize = socklen_t(MemoryLayout<sockaddr_nl>.size)
        var size = 0
        let buffer = [UInt8](unsafeUninitializedCapacity: Self.largestDatagram) { storage, used in
            size = withUnsafeMutableBytes(of: &sender) {
                recvfrom(
                    descriptor, storage.baseAddress, storage.count, Int32(MSG_TRUNC),
                    $0.assumingMemoryBound(to: sockaddr.self).baseAddress, &senderSize)
            }
            used = min(max(size, 0), storage.count)
        }
        guard size >= 0 else {
            switch errno {
            case EAGAIN, EINTR: return .nothing
            case ENOBUFS: return .lost
            default: return .failed
            }
        }
        guard size <= Self.largestDatagram else { return .lost }
        // Another process may write to the socket, if it is privileged; only the kernel (port 0) is believed.
        return .datagram(sender.nl_pid == 0 ? buffer[...] : [])
    }

    /// Asks for a dump of `type` with a fixed part of `Header` that is all zero (every family) and gives its
    /// messages to `take`.
    func dump<Header: BitwiseCopyable>(
        _ type: Int, _ header: Header.Type, sequence: UInt32, take: (NetlinkMessage) -> Void
    ) -> DumpOutcome {
        guard send(type, header, sequence: sequence) else { return .failed }
        var outcome = DumpOutcome.complete
        while true {
            guard case .datagram(let datagram) = read() else { return .failed }
            let (messages, isWhole) = NetlinkMessage.parse(datagram)
            for message in messages where message.sequence == sequence {
                if message.flags & Int(NLM_F_DUMP_INTR) != 0 { outcome = .interrupted }
                switch message.type {
                case Int(NLMSG_DONE): return message.errorNumber == 0 ? outcome : .failed
                case Int(NLMSG_ERROR): return .failed
                default: take(message)
                }
            }
            guard isWhole else { return .failed }
        }
    }

    private func send<Header: BitwiseCopyable>(_ type: Int, _ header: Header.Type, sequence: UInt32) -> Bool {
        let size = MemoryLayout<nlmsghdr>.size + MemoryLayout<Header>.size
        var prefix = nlmsghdr()
        prefix.nlmsg_len = UInt32(size)
        prefix.nlmsg_type = UInt16(type)
        prefix.nlmsg_flags = UInt16(NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH)
        prefix.nlmsg_seq = sequence
        let request = withUnsafeBytes(of: &prefix, Array.init) + [UInt8](repeating: 0, count: size - 16)
        return Glibc.send(descriptor, request, request.count, 0) == request.count
    }

    /// The kernel builds dumps in pieces of at most 32 KiB, and a notification is smaller.
    private static let largestDatagram = 64 << 10
}

/// How a dump ended.
enum DumpOutcome {
    /// It shows one state of the tables.
    case complete
    /// The tables changed while they were read (`NLM_F_DUMP_INTR`).
    case interrupted
    /// The system refused it or broke it off.
    case failed
}
#endif
