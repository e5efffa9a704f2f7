#if os(Linux)
import CNetlink
package import ConnectionCore
import Dispatch

/// The network path of a Linux host, from the kernel's route netlink (rtnetlink(7)). It needs no privilege.
///
/// `.online` means: the main table has a unicast default route, IPv4 or IPv6, over an interface that is up and has a
/// carrier. The fingerprint covers the interface indexes and gateways of all such routes and is the same for every
/// process that sees them. A host without such a route is `.offline`, also if it reaches hosts on its own links or
/// on loopback. If the system does not let us look, the path is `.unknown`, which allows attempts.
///
/// Notifications only say that something changed: the state is read anew from a dump, 30 ms after the first of a
/// burst. A lost notification (`ENOBUFS`) is therefore no worse than any other.
// Every stored variable is read and written on `queue` only, or in deinit, when nobody else has the object.
package final class RouteNetlinkMonitor: NetworkPathMonitor, @unchecked Sendable {
    private let queue = DispatchQueue(label: "SteadySocket.RouteNetlinkMonitor")
    private let queueKey = DispatchSpecificKey<Void>()
    private var report: (@Sendable (NetworkPath) -> Void)?
    private var source: (any DispatchSourceRead)?
    private var reported: NetworkPath?
    private var isLookDue = false
    /// Counts the openings, so that a look that was due for an older one is void.
    private var opening = 0

    /// Makes a monitor that does nothing until it is started.
    package init() { queue.setSpecific(key: queueKey, value: ()) }

    deinit { source?.cancel() }

    package func start(_ report: @escaping @Sendable (NetworkPath) -> Void) {
        queue.async {
            self.close()
            self.report = report
            self.open()
        }
    }

    package func restart() {
        queue.async {
            guard self.report != nil else { return }
            self.close()
            self.open()
        }
    }

    package func stop() {
        if DispatchQueue.getSpecific(key: queueKey) != nil {
            forget()
        } else {
            queue.sync { forget() }
        }
    }

    private func forget() {
        close()
        report = nil
    }

    /// Subscribes, then looks: what changes in between is seen twice rather than not at all.
    private func open() {
        guard let socket = NetlinkSocket(groups: Self.groups, blocking: false) else { return say(.unknown) }
        let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.drain(socket) }
        // Dispatch must not watch a closed descriptor: the socket lives until cancellation is complete.
        source.setCancelHandler { withExtendedLifetime(socket) {} }
        source.activate()
        self.source = source
        look()
    }

    private func close() {
        source?.cancel()
        source = nil
        reported = nil
        isLookDue = false
        opening += 1
    }

    /// Reads what is there. Bounded, so that a flood of notifications cannot keep `stop` waiting; Dispatch calls
    /// again as long as something is left.
    private func drain(_ socket: NetlinkSocket) {
        for _ in 0..<64 {
            switch socket.read() {
            case .datagram(let datagram):
                let (messages, isWhole) = NetlinkMessage.parse(datagram)
                if !isWhole || messages.contains(where: RouteTable.concernsPath) { lookSoon() }
            case .lost: lookSoon()
            case .nothing: return
            case .failed:
                close()
                return say(.unknown)
            }
        }
    }

    private func lookSoon() {
        guard !isLookDue, source != nil else { return }
        isLookDue = true
        queue.asyncAfter(deadline: .now() + .milliseconds(30)) { [weak self, opening] in
            guard let self, self.opening == opening else { return }
            isLookDue = false
            look()
        }
    }

    private func look() { say(Self.currentPath()) }

    private func say(_ path: NetworkPath) {
        guard path != reported else { return }
        reported = path
        report?(path)
    }

    /// Reads links and routes. An interrupted dump is read again; if that does not help, it is used as it is,
    /// because the change that interrupted it has a notification on its way.
    private static func currentPath() -> NetworkPath {
        guard let socket = NetlinkSocket(groups: 0, blocking: true) else { return .unknown }
        var table = RouteTable()
        for attempt in 0..<4 as Range<UInt32> {
            table = RouteTable()
            let links = socket.dump(Int(RTM_GETLINK), ifinfomsg.self, sequence: attempt * 2 + 1) { table.take($0) }
            guard links != .failed else { return .unknown }
            let routes = socket.dump(Int(RTM_GETROUTE), rtmsg.self, sequence: attempt * 2 + 2) { table.take($0) }
            guard routes != .failed else { return .unknown }
            if links == .complete, routes == .complete { break }
        }
        return table.path
    }

    private static let groups = UInt32(
        RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR)
}
#endif
