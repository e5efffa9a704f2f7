#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A point of civil time with a resolution of one millisecond, written as ISO 8601 in UTC: `2026-11-30T02:47:05.123Z`.
package struct WallTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The moment, cut to whole milliseconds.
    package init(_ date: Date) { milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded(.down)) }

    package static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    private static let wholeSeconds = Date.ISO8601FormatStyle()

    /// Reads ISO 8601 with or without a fraction of a second; nil for anything else.
    package init?(iso8601 text: String) {
        guard let date = (try? Self.style.parse(text)) ?? (try? Self.wholeSeconds.parse(text)) else { return nil }
        milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
    }
}

extension WallTime: CustomStringConvertible {
    /// ISO 8601 in UTC with three digits after the second.
    package var description: String {
        // The formatter cuts the fraction; a quarter of a millisecond keeps binary rounding from losing a whole one.
        Self.style.format(Date(timeIntervalSince1970: (Double(milliseconds) + 0.25) / 1000))
    }
}

extension WallTime: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = WallTime(iso8601: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not an ISO 8601 time such as 2026-11-30T02:47:05.123Z")
        }
        self = time
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
