/// Sums a scenario takes per shard. Durations in nanoseconds, so that the sum does not depend on its order.
package struct Figures: Sendable {
    /// Foreground segments.
    package var segments = 0
    /// Segments during which no socket was open at any time.
    package var unserved = 0
    /// Time sockets were open in the background.
    package var backgroundOpen: Int64 = 0
    /// From the start of served segments that began without a socket to the open one.
    package var untilOpen: Int64 = 0
    /// How many segments `untilOpen` is about.
    package var opens = 0

    mutating func add(_ other: Figures) {
        segments += other.segments
        unserved += other.unserved
        backgroundOpen += other.backgroundOpen
        untilOpen += other.untilOpen
        opens += other.opens
    }
}
