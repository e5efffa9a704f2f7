/// The number of one opening handshake and of the socket that may come of it.
///
/// Numbers only grow. A fact that carries an older number belongs to a socket that is gone, and changes nothing.
public struct AttemptID: Hashable, Comparable, Sendable {
    /// 1 for the first attempt of a connection.
    public var number: UInt64

    /// Makes the attempt with this number.
    public init(_ number: UInt64) { self.number = number }

    /// Whether the left attempt started earlier.
    public static func < (left: AttemptID, right: AttemptID) -> Bool { left.number < right.number }
}

extension AttemptID: CustomStringConvertible {
    /// The number behind a `#`.
    public var description: String { "#\(number)" }
}
