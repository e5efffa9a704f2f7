internal import Dispatch
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Signals as a stream. While it is read, they no longer do what they do by default.
enum Signals {
    /// The signals with these numbers, in the order they arrive, until the reader ends.
    static func stream(_ numbers: [Int32]) -> AsyncStream<Int32> {
        AsyncStream { continuation in
            let queue = DispatchQueue(label: "steady.signals")
            // Handed over only to be cancelled, which any thread may do.
            nonisolated(unsafe) let sources = numbers.map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { continuation.yield(number) }
                source.resume()
                return source
            }
            continuation.onTermination = { @Sendable _ in sources.forEach { $0.cancel() } }
        }
    }
}
