#if os(Linux)
/// Netlink bytes written out by hand, without the code under test. Integers are in the byte order of the host.
enum NetlinkBytes {
    static func integer(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value, Array.init) }

    /// One message; `claiming` replaces the true length.
    static func message(
        type: UInt16, flags: UInt16 = 2, sequence: UInt32 = 1, claiming: Int? = nil, _ payload: [UInt8]
    )
        -> [UInt8]
    {
        let length = claiming ?? 16 + payload.count
        return padded(
            integer(UInt32(length)) + integer(type) + integer(flags) + integer(sequence) + integer(UInt32(0))
                + payload)
    }

    /// One attribute; `claiming` replaces the true length.
    static func attribute(_ type: UInt16, claiming: Int? = nil, _ value: [UInt8]) -> [UInt8] {
        padded(integer(UInt16(claiming ?? 4 + value.count)) + integer(type) + value)
    }

    /// `RTM_NEWLINK` with the `IFF_*` flags.
    static func link(_ index: Int32, flags: UInt32) -> [UInt8] {
        message(type: 16, [0, 0] + integer(UInt16(1)) + integer(index) + integer(flags) + integer(UInt32(0)))
    }

    /// `RTM_NEWROUTE`, by default an IPv4 unicast default route of the main table.
    static func route(
        family: UInt8 = 2, prefix: UInt8 = 0, table: UInt8 = 254, kind: UInt8 = 1, flags: UInt32 = 0,
        _ attributes: [UInt8]
    ) -> [UInt8] {
        message(type: 24, [family, prefix, 0, 0, table, 3, 0, kind] + integer(flags) + attributes)
    }

    static func interface(_ index: Int32) -> [UInt8] { attribute(4, integer(index)) }
    static func gateway(_ address: [UInt8]) -> [UInt8] { attribute(5, address) }
    static func table(_ number: UInt32) -> [UInt8] { attribute(15, integer(number)) }

    static func nextHop(_ index: Int32, claiming: Int? = nil, _ attributes: [UInt8]) -> [UInt8] {
        padded(integer(UInt16(claiming ?? 8 + attributes.count)) + [0, 0] + integer(index) + attributes)
    }

    /// `IFF_UP`, `IFF_RUNNING` and `IFF_LOWER_UP`.
    static let up: UInt32 = 0x1
    static let running: UInt32 = 0x40
    static let carrier: UInt32 = 0x10000

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    /// Seven routes and the end of a dump, recorded on Linux 6.18 (x86-64) in a namespace with two links: a default
    /// route over link 5, a multipath one over 5 and 6, a blackhole, a route to a subnet; IPv6: a default route over
    /// link 6, an unreachable one, a default route over link 5.
    static let recordedRoutes: [UInt8] = bytes(
        """
        3c0000001800020001000000972e000002000000fe0300010000000008000f00fe000000080006000a000000080005000a090001\
        0800040005000000500000001800020001000000972e000002000000fe0300010000000008000f00fe0000000800060014000000\
        240009001000000005000000080005000a0900011000000006000000080005000a0901012c0000001800020001000000972e0000\
        02000000fe0300060000000008000f00fe00000008000600280000003c0000001800020001000000972e000002180000fe02fd01\
        0000000008000f00fe000000080001000a090000080007000a0900020800040005000000740000001800020001000000972e0000\
        0a000000fe0300010000000008000f00fe000000080006001e00000014000500fe80000000000000000000000000000108000400\
        0600000024000c000000000000000000000000000000000000000000000000000000000000000000050014000000000060000000\
        1800020001000000972e00000a000000fe0300070000000008000f00fe0000000800060032000000080004000100000024000c00\
        00000000000000000000000000000000000000000000000000000000000000000500140000000000740000001800020001000000\
        972e00000a000000fe0300010000000008000f00fe000000080006000004000014000500fd090000000000000000000000000001\
        080004000500000024000c0000000000000000000000000000000000000000000000000000000000000000000500140000000000\
        140000000300020001000000972e000000000000
        """)

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

#endif
