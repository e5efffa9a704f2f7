/// The deadlines of a connection by purpose. What is set is pending; nothing is cancelled anywhere else.
package struct Deadlines: Hashable, Sendable {
    /// The end of the quiet window after an ask.
    @Compact package var ask: Instant?
    /// The opening handshake must be complete.
    @Compact package var opening: Instant?
    /// The next keepalive ping.
    @Compact package var ping: Instant?
    /// An answer to the outstanding ping must be here.
    @Compact package var pong: Instant?
    /// The end of the background grace.
    @Compact package var grace: Instant?
    /// The closing handshake must be complete.
    @Compact package var closing: Instant?

    /// The earliest of those that matter to a socket that is opening or open.
    var earliestOfSocket: Instant? { _opening.or(_grace).or(_ping).or(_pong).or(_ask).wrappedValue }

    /// Forgets what belongs to a socket that is opening or open.
    mutating func clearSocket() {
        opening = nil
        ping = nil
        pong = nil
        grace = nil
    }
}

/// Whether a deadline is due, and if so how late that was noticed.
enum Expiry {
    case pending
    case due
    /// So late that the process cannot have been running.
    case missed

    init(_ deadline: Instant?, at now: Instant, threshold: Int64) {
        guard let deadline, deadline <= now else {
            self = .pending
            return
        }
        self = now.nanoseconds.subtractingSaturating(deadline.nanoseconds) > threshold ? .missed : .due
    }
}
