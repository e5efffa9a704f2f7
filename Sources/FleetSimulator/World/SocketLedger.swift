internal import ConnectionCore

/// What the server saw of the sockets of one shard.
package struct SocketLedger: Sendable {
    /// Sockets that opened.
    package private(set) var connects = 0
    /// Sockets that ended, by code; 1005 and 1006 as RFC 6455 section 7.1.5 defines them.
    package private(set) var closes: [UInt16: Int] = [:]
    /// Sockets that ended less than 30 s after they opened.
    package private(set) var under30s = 0

    package init() {}

    mutating func opened() { connects += 1 }

    mutating func ended(_ code: CloseCode, after nanoseconds: Int64) {
        closes[code.rawValue, default: 0] += 1
        if nanoseconds < 30_000_000_000 { under30s += 1 }
    }

    mutating func add(_ other: SocketLedger) {
        connects += other.connects
        under30s += other.under30s
        closes.merge(other.closes, uniquingKeysWith: +)
    }
}
