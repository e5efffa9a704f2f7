internal import ConnectionCore

/// What the server has to look at, and when. Nothing is ever taken out before its time: who is called checks whether
/// there is still something to do.
struct Deadlines {
    /// One entry.
    struct Entry {
        var time: Instant
        var work: Work
    }

    enum Work {
        /// A head has to be complete by now.
        case head(UInt64)
        /// The client's Close frame has to be here by now.
        case closing(UInt64)
        /// The client has to have ended the TCP connection by now.
        case lingering(UInt64)
        /// Something befalls a socket.
        case fate(UInt64, Fate)
        /// The next upgrade that waits may be accepted.
        case turn
        /// Sockets that are not read have to be asked whether the peer is gone.
        case silentSockets
        /// The outage with this number is over.
        case outageOver(Int)
        /// Descriptors may be free again.
        case acceptAgain
    }

    /// A binary heap: no entry is later than the two at twice its index.
    private var heap: [Entry] = []

    /// The time of the earliest entry.
    var next: Instant? { heap.first?.time }

    mutating func add(_ work: Work, at time: Instant) {
        heap.append(Entry(time: time, work: work))
        var child = heap.count - 1
        while child > 0, heap[child].time < heap[(child - 1) / 2].time {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes the earliest entry out if it is due at `now`.
    mutating func popDue(at now: Instant) -> Work? {
        guard let first = heap.first, first.time <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].time < heap[least].time { least = child }
            }
            if least == parent { return first.work }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
