#if os(Linux)
import CNetlink

/// One message of a netlink datagram (RFC 3549 section 2.3.2).
struct NetlinkMessage: Equatable {
    /// `RTM_NEWLINK`, `NLMSG_DONE` and so on.
    var type: Int
    /// `NLM_F_*`.
    var flags: Int
    /// The number of the request this message answers; 0 in a notification.
    var sequence: UInt32
    /// What follows the header.
    var payload: ArraySlice<UInt8>

    /// Splits a datagram into its messages.
    ///
    /// Lengths are taken from the datagram and none is believed: a message that claims fewer bytes than its header
    /// or more than are left ends the walk, and `isWhole` is false.
    static func parse(_ datagram: ArraySlice<UInt8>) -> (messages: [NetlinkMessage], isWhole: Bool) {
        var messages: [NetlinkMessage] = []
        var rest = datagram
        while !rest.isEmpty {
            guard let header = rest.load(nlmsghdr.self), let length = Int(exactly: header.nlmsg_len),
                length >= MemoryLayout<nlmsghdr>.size, length <= rest.count
            else { return (messages, false) }
            messages.append(
                NetlinkMessage(
                    type: Int(header.nlmsg_type), flags: Int(header.nlmsg_flags), sequence: header.nlmsg_seq,
                    payload: rest.prefix(length).dropFirst(MemoryLayout<nlmsghdr>.size)))
            rest = rest.dropFirst(length.alignedToFour)
        }
        return (messages, true)
    }

    /// The error number of an `NLMSG_ERROR` or `NLMSG_DONE` message, positive; 0 if it reports success.
    var errorNumber: Int32 {
        guard let code = payload.load(Int32.self) else { return 0 }
        return code < 0 ? 0 &- code : code
    }
}

/// One attribute behind the fixed part of a message: type, length, value (RFC 3549 section 2.2).
struct NetlinkAttribute: Equatable {
    /// `RTA_*`, without the flag bits.
    var type: UInt32
    var value: ArraySlice<UInt8>

    /// Splits the attributes of a message, with the same distrust as `NetlinkMessage.parse`. What precedes a broken
    /// attribute is returned; nil stands for nothing.
    static func parse(_ bytes: ArraySlice<UInt8>) -> [NetlinkAttribute] {
        var attributes: [NetlinkAttribute] = []
        var rest = bytes
        while let header = rest.load(rtattr.self) {
            let length = Int(header.rta_len)
            guard length >= MemoryLayout<rtattr>.size, length <= rest.count else { break }
            attributes.append(
                NetlinkAttribute(
                    type: UInt32(header.rta_type) & attributeTypeMask,
                    value: rest.prefix(length).dropFirst(MemoryLayout<rtattr>.size)))
            rest = rest.dropFirst(length.alignedToFour)
        }
        return attributes
    }
}

/// `NLA_TYPE_MASK`, whose definition in linux/netlink.h does not import: all but the nested and byte order flags.
private let attributeTypeMask: UInt32 = 0x3FFF

extension ArraySlice<UInt8> {
    /// The value of type `T` that starts at the first byte, in the byte order of the host; nil if too few are left.
    func load<T: BitwiseCopyable>(_ type: T.Type) -> T? {
        guard count >= MemoryLayout<T>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(as: type) }
    }
}

extension Int {
    /// Netlink pads messages and attributes to four bytes. Used on lengths already bounded by a datagram.
    var alignedToFour: Int { (self + 3) & ~3 }
}
#endif
