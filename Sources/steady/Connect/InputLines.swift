internal import Dispatch
internal import SteadySocket
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The lines of a file descriptor. Nothing is read before the next line is asked for, so that whoever writes them feels
/// how fast they are taken. Ends with the input, or when the task that reads is cancelled.
struct InputLines: AsyncSequence, Sendable {
    private let lines: AsyncStream<InputLine>
    private let demand: DispatchSemaphore
    private let taken = Locked(0)

    /// How many lines the reader has got.
    var takenCount: Int { taken.withLock { $0 } }

    /// Lines may have up to `limit` bytes. The descriptor stays open; for one reader.
    init(descriptor: Int32, limit: Int) {
        let (lines, continuation) = AsyncStream<InputLine>.makeStream()
        let demand = DispatchSemaphore(value: 0)
        self.lines = lines
        self.demand = demand
        // A queue of its own, because a read of a terminal may block for ever.
        DispatchQueue(label: "steady.input").async {
            var source = Source(descriptor: descriptor, splitter: LineSplitter(limit: limit))
            repeat { demand.wait() } while source.next().map { continuation.yield($0) } != nil
            continuation.finish()
        }
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var lines: AsyncStream<InputLine>.Iterator
        fileprivate let demand: DispatchSemaphore
        fileprivate let taken: Locked<Int>

        mutating func next() async -> InputLine? {
            demand.signal()
            let line = await lines.next()
            if line != nil { taken.withLock { $0 += 1 } }
            return line
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(lines: lines.makeAsyncIterator(), demand: demand, taken: taken)
    }

    /// Reads on the thread that calls it.
    private struct Source {
        let descriptor: Int32
        var splitter: LineSplitter
        private var pending: ArraySlice<InputLine> = []
        private var ended = false

        init(descriptor: Int32, splitter: LineSplitter) {
            self.descriptor = descriptor
            self.splitter = splitter
        }

        mutating func next() -> InputLine? {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while pending.isEmpty, !ended {
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    pending = splitter.take(buffer[..<count])[...]
                } else if count == 0 {
                    ended = true
                    pending = splitter.finish().map { [$0] } ?? []
                } else if errno == EAGAIN {
                    // Whoever shares the descriptor made it non-blocking.
                    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    poll(&wanted, 1, -1)
                } else if errno != EINTR {
                    ended = true
                    let failure = splitter.failed(Output.meaning(of: errno))
                    pending = ([splitter.finish(), failure] as [InputLine?]).compactMap(\.self)[...]
                }
            }
            return pending.popFirst()
        }
    }
}
