#if os(Linux)
import ConnectionCore
import Testing

@testable import SteadySocket

@Suite struct NetworkRouteTableTests {
    private typealias Bytes = NetlinkBytes
    private static let working = Bytes.up | Bytes.running | Bytes.carrier
    private static let plain = Bytes.route(Bytes.interface(5) + Bytes.gateway([10, 9, 0, 1]))

    private func path(_ messages: [UInt8]...) -> NetworkPath { table(messages).path }

    private func table(_ messages: [[UInt8]]) -> RouteTable {
        var table = RouteTable()
        for bytes in messages { NetlinkMessage.parse(bytes[...]).messages.forEach { table.take($0) } }
        return table
    }

    private func isOnline(_ path: NetworkPath) -> Bool {
        switch path {
        case .online: true
        case .offline, .unknown: false
        }
    }

    @Test func nothingIsOffline() { #expect(path() == .offline) }

    @Test func aDefaultRouteOverAWorkingLinkIsOnline() {
        #expect(isOnline(path(Bytes.link(5, flags: Self.working), Self.plain)))
    }

    @Test func theFingerprintIsAFixedFunctionOfTheRoutes() {
        // FNV-1a of 02 05000000 04 0a090001, computed apart: the value must not change between processes or versions.
        #expect(path(Bytes.link(5, flags: Self.working), Self.plain) == .online(fingerprint: 0x7ADA_7577_5CB3_9636))
    }

    @Test("A link is usable if it is up, running and has a carrier", arguments: 0..<8)
    func linkFlags(bits: Int) {
        let flags = zip([Bytes.up, Bytes.running, Bytes.carrier], 0...).reduce(UInt32(0x1002)) {
            bits >> $1.1 & 1 == 1 ? $0 | $1.0 : $0
        }
        #expect(isOnline(path(Bytes.link(5, flags: flags), Self.plain)) == (bits == 7))
    }

    @Test func theRouteMustLeaveThroughTheUsableLink() {
        #expect(path(Bytes.link(6, flags: Self.working), Self.plain) == .offline)
    }

    @Test("Only unicast default routes of the main table count")
    func otherRoutes() {
        let link = Bytes.link(5, flags: Self.working)
        let out = Bytes.interface(5)
        #expect(path(link, Bytes.route(prefix: 8, out)) == .offline)
        #expect(path(link, Bytes.route(table: 255, out)) == .offline)
        #expect(path(link, Bytes.route(table: 254, out + Bytes.table(1000))) == .offline)
        // A table above 255 stands in the attribute only; the byte then says RT_TABLE_COMPAT (252).
        #expect(isOnline(path(link, Bytes.route(table: 252, out + Bytes.table(254)))))
        for kind: UInt8 in [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] {
            #expect(path(link, Bytes.route(kind: kind, out)) == .offline, "kind \(kind)")
        }
        #expect(path(link, Bytes.route(flags: 0x200, out)) == .offline, "a cloned route")
        for family: UInt8 in [0, 1, 28, 128] {
            #expect(path(link, Bytes.route(family: family, out)) == .offline, "family \(family)")
        }
        #expect(isOnline(path(link, Bytes.route(family: 10, out))))
    }

    @Test func aRouteWithoutAnInterfaceCountsAsUsable() {
        #expect(isOnline(path(Bytes.route(Bytes.attribute(30, Bytes.integer(UInt32(7)))))))
    }

    @Test func theOrderOfADumpDoesNotMatter() {
        let links = [Bytes.link(5, flags: Self.working), Bytes.link(6, flags: Self.working)]
        let other = Bytes.route(family: 10, Bytes.interface(6) + Bytes.gateway([UInt8](repeating: 1, count: 16)))
        let first = table(links + [Self.plain, other])
        #expect(first.defaultRoutes.count == 2)
        #expect(first == table([other, Self.plain] + links.reversed()))
        #expect(first.path == table(links.reversed() + [other, Self.plain]).path)
        #expect(first.path == table(links + [Self.plain, other, Self.plain]).path)
    }

    @Test func everyPartOfARouteCountsInTheFingerprint() {
        let links = [Bytes.link(5, flags: Self.working), Bytes.link(6, flags: Self.working)]
        let variants = [
            [Self.plain],
            [Bytes.route(Bytes.interface(6) + Bytes.gateway([10, 9, 0, 1]))],
            [Bytes.route(Bytes.interface(5) + Bytes.gateway([10, 9, 0, 2]))],
            [Bytes.route(Bytes.interface(5))],
            [Bytes.route(Bytes.interface(5) + Bytes.attribute(18, [10, 0] + [UInt8](repeating: 9, count: 16)))],
            [Bytes.route(family: 10, Bytes.interface(5) + Bytes.gateway([10, 9, 0, 1]))],
            [Self.plain, Bytes.route(family: 10, Bytes.interface(5))],
        ]
        let paths = variants.map { table(links + $0).path }
        #expect(paths.allSatisfy(isOnline))
        #expect(Set(paths).count == variants.count)
    }

    @Test func aRouteOverADeadLinkDoesNotCountInTheFingerprint() {
        let both = [Self.plain, Bytes.route(Bytes.interface(6))]
        #expect(
            table([Bytes.link(5, flags: Self.working), Bytes.link(6, flags: Bytes.up)] + both).path
                == path(Bytes.link(5, flags: Self.working), Self.plain))
    }

    @Test func multipathRoutesHaveSeveralWaysOut() {
        let hops =
            Bytes.nextHop(5, Bytes.gateway([10, 9, 0, 1])) + Bytes.nextHop(6, Bytes.gateway([10, 9, 1, 1]))
        let route = Bytes.route(Bytes.attribute(9, hops))
        #expect(
            table([route]).defaultRoutes == [
                DefaultRoute(family: 2, interface: 5, gateway: [10, 9, 0, 1]),
                DefaultRoute(family: 2, interface: 6, gateway: [10, 9, 1, 1]),
            ])
        #expect(isOnline(path(Bytes.link(6, flags: Self.working), route)))
    }

    @Test("A length no next hop can have ends the walk", arguments: [0, 7, 17, 0xFFFF])
    func aLyingNextHopEndsTheWalk(claimed: Int) {
        let hops =
            Bytes.nextHop(5, Bytes.gateway([10, 9, 0, 1]))
            + Bytes.nextHop(6, claiming: claimed, Bytes.gateway([10, 9, 1, 1]))
        #expect(table([Bytes.route(Bytes.attribute(9, hops))]).defaultRoutes.map(\.interface) == [5])
    }

    @Test func theRecordedDump() {
        let router: [UInt8] = [10, 9, 0, 1]
        let unique = [0xFD, 9] + [UInt8](repeating: 0, count: 13) + [1]
        let linkLocal = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        #expect(
            table([NetlinkBytes.recordedRoutes]).defaultRoutes == [
                DefaultRoute(family: 2, interface: 5, gateway: router),
                DefaultRoute(family: 2, interface: 6, gateway: [10, 9, 1, 1]),
                DefaultRoute(family: 10, interface: 6, gateway: linkLocal),
                DefaultRoute(family: 10, interface: 5, gateway: unique),
            ])
    }

    @Test func shortMessagesAreNothing() {
        let whole = NetlinkMessage.parse(Self.plain[...]).messages[0]
        for type in [16, 24] {
            for size in 0..<12 {
                var message = whole
                message.type = type
                message.payload = message.payload.prefix(size)
                var table = RouteTable()
                table.take(message)
                #expect(table == RouteTable())
            }
        }
    }

    @Test func onlyRoutesToElsewhereAreIgnoredAsNotifications() {
        func concerns(_ bytes: [UInt8], type: Int? = nil) -> Bool {
            var message = NetlinkMessage.parse(bytes[...]).messages[0]
            message.type = type ?? message.type
            return RouteTable.concernsPath(message)
        }
        #expect(concerns(Self.plain))
        #expect(concerns(Self.plain, type: 25))
        #expect(!concerns(Bytes.route(prefix: 24, [])))
        #expect(!concerns(Bytes.route(prefix: 24, []), type: 25))
        #expect(concerns(Bytes.link(5, flags: 0)))
        #expect(concerns(Bytes.message(type: 21, [])), "RTM_DELADDR")
        #expect(concerns(Bytes.message(type: 24, [])), "too short to tell")
    }
}
#endif
