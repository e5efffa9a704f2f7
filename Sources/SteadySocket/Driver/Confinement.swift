package import Dispatch

/// A serial queue that knows whether it is current. One id per queue, however many connections share it.
package struct Confinement: Sendable {
    package let queue: DispatchQueue
    private let id: UInt64

    static let main = Confinement(.main)

    private static let key = DispatchSpecificKey<UInt64>()
    private static let nextID = Locked<UInt64>(1)

    package init(_ queue: DispatchQueue) {
        self.queue = queue
        id = Self.nextID.withLock { next in
            if let known = queue.getSpecific(key: Self.key) { return known }
            defer { next += 1 }
            queue.setSpecific(key: Self.key, value: next)
            return next
        }
    }

    package var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == id }
}
