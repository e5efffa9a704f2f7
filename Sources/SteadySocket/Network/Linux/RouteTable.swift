#if os(Linux)
import CNetlink
import ConnectionCore
import Glibc

/// One default route, as far as it says which way packets leave.
struct DefaultRoute: Hashable {
    /// `AF_INET` or `AF_INET6`.
    var family: UInt8
    /// The index of the interface; nil if the kernel did not name it.
    var interface: Int32?
    /// The address of the router; empty on a point-to-point link.
    var gateway: [UInt8]
}

/// The links and default routes of one dump, and the path they amount to.
struct RouteTable: Equatable {
    /// The indexes of the interfaces that are up and have a carrier.
    private(set) var usableInterfaces: Set<Int32> = []
    /// The default routes of the main table, whatever the state of their interfaces.
    private(set) var defaultRoutes: Set<DefaultRoute> = []

    /// Takes in one message of a dump. What is neither a link nor a default route is passed over.
    mutating func take(_ message: NetlinkMessage) {
        switch message.type {
        case Int(RTM_NEWLINK): takeLink(message.payload)
        case Int(RTM_NEWROUTE): defaultRoutes.formUnion(Self.defaultRoutes(in: message.payload))
        default: break
        }
    }

    /// Online if a default route leaves through a usable interface.
    ///
    /// A route whose interface the kernel does not name (nexthop objects with `nexthop_compat_mode` off) counts as
    /// usable: a wrong `.offline` would keep an app from connecting at all, a wrong `.online` costs one attempt.
    var path: NetworkPath {
        let usable = defaultRoutes.filter { $0.interface.map(usableInterfaces.contains) ?? true }
        return usable.isEmpty ? .offline : .online(fingerprint: Self.fingerprint(of: usable))
    }

    /// Whether a notification can have changed the path. Links and addresses always can: removing the address a
    /// route needs removes the route without a word about the route (`fib_sync_down_addr` in the kernel).
    static func concernsPath(_ message: NetlinkMessage) -> Bool {
        switch message.type {
        case Int(RTM_NEWROUTE), Int(RTM_DELROUTE):
            message.payload.load(rtmsg.self).map { $0.rtm_dst_len == 0 } ?? true
        default: true
        }
    }

    private mutating func takeLink(_ payload: ArraySlice<UInt8>) {
        guard let link = payload.load(ifinfomsg.self) else { return }
        let needed = UInt32(IFF_UP) | UInt32(IFF_RUNNING) | interfaceHasCarrier
        if link.ifi_flags & needed == needed { usableInterfaces.insert(link.ifi_index) }
    }

    /// The ways out that a route message names: none unless it is a unicast default route of the main table, one
    /// for an ordinary route, several for a multipath route.
    private static func defaultRoutes(in payload: ArraySlice<UInt8>) -> [DefaultRoute] {
        guard let route = payload.load(rtmsg.self), route.rtm_dst_len == 0,
            Int(route.rtm_type) == Int(RTN_UNICAST), route.rtm_flags & UInt32(RTM_F_CLONED) == 0,
            Int32(route.rtm_family) == AF_INET || Int32(route.rtm_family) == AF_INET6
        else { return [] }
        let attributes = NetlinkAttribute.parse(payload.dropFirst(MemoryLayout<rtmsg>.size))
        let table = attributes.value(RTA_TABLE)?.load(UInt32.self) ?? UInt32(route.rtm_table)
        guard table == UInt32(RT_TABLE_MAIN.rawValue) else { return [] }
        if let hops = attributes.value(RTA_MULTIPATH) { return nextHops(in: hops, family: route.rtm_family) }
        return [
            DefaultRoute(
                family: route.rtm_family, interface: attributes.value(RTA_OIF)?.load(Int32.self),
                gateway: attributes.gateway)
        ]
    }

    private static func nextHops(in bytes: ArraySlice<UInt8>, family: UInt8) -> [DefaultRoute] {
        var routes: [DefaultRoute] = []
        var rest = bytes
        while let hop = rest.load(rtnexthop.self) {
            let length = Int(hop.rtnh_len)
            guard length >= MemoryLayout<rtnexthop>.size, length <= rest.count else { break }
            let attributes = NetlinkAttribute.parse(rest.prefix(length).dropFirst(MemoryLayout<rtnexthop>.size))
            routes.append(
                DefaultRoute(family: family, interface: hop.rtnh_ifindex, gateway: attributes.gateway))
            rest = rest.dropFirst(length.alignedToFour)
        }
        return routes
    }

    /// FNV-1a (64 bit) over the routes in a fixed order: the same in every process and for every order of the dump.
    private static func fingerprint(of routes: Set<DefaultRoute>) -> UInt64 {
        let records = routes.map { route in
            // The length keeps a gateway from running into the record behind it.
            let gateway = [UInt8(truncatingIfNeeded: route.gateway.count)] + route.gateway
            let index = UInt32(bitPattern: route.interface ?? 0)
            return [route.family] + (0..<4).map { UInt8(truncatingIfNeeded: index >> ($0 * 8)) } + gateway
        }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in records.sorted(by: { $0.lexicographicallyPrecedes($1) }).joined() {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return hash
    }
}

/// `IFF_LOWER_UP` of linux/if.h, which cannot be included beside the net/if.h of the C library.
private let interfaceHasCarrier: UInt32 = 1 << 16

extension [NetlinkAttribute] {
    fileprivate func value(_ type: rtattr_type_t) -> ArraySlice<UInt8>? {
        first { $0.type == type.rawValue }?.value
    }

    /// The router's address: of the route's own family, or of another one (an IPv4 route via an IPv6 router).
    fileprivate var gateway: [UInt8] {
        [UInt8](value(RTA_GATEWAY) ?? value(RTA_VIA) ?? [])
    }
}
#endif
