#if os(Linux)
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import SteadyTransport
import WebSocketWire

extension RetryAfter {
    /// The `Retry-After` of this answer; nil if it has none or several.
    static func parse(_ head: HTTPHead, now: Date) -> Duration? {
        guard head.count(of: "retry-after") == 1, let value = head["retry-after"] else { return nil }
        return parse(value, date: head["date"], now: now)
    }
}
#endif
