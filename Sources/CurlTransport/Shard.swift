#if os(Linux)
import CCurl
import CEpoll

/// One libcurl multi handle with a bounded number of connections.
///
/// Every `curl_easy_send` and `curl_easy_recv` walks the connections of its multi handle, so one for all would cost time
/// in the square of the sockets; one for each would cost a certificate store each.
final class Shard {
    /// Connections per multi handle. Measured: 64 are a little faster with plain sockets, 256 a little smaller with TLS.
    static let capacity = 128

    let multi = curl_multi_init()!
    let index: Int
    /// When libcurl wants to be called, in nanoseconds on the loop's clock.
    var deadline = UInt64.max
    fileprivate(set) var count = 0
    // The loop owns its shards and never ends.
    private unowned let loop: EventLoop

    init(_ index: Int, on loop: EventLoop) {
        self.index = index
        self.loop = loop
        steady_set_callbacks(
            multi,
            { _, file, what, context, _ in
                Unmanaged<Shard>.fromOpaque(context!).takeUnretainedValue().watch(file, for: what)
                return 0
            },
            { _, milliseconds, context in
                Unmanaged<Shard>.fromOpaque(context!).takeUnretainedValue().callBack(after: milliseconds)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func watch(_ file: Int32, for what: Int32) {
        let tag = EventTag.connecting(shard: index, file: file)
        guard what != CURL_POLL_REMOVE else {
            loop.control(EPOLL_CTL_DEL, file, 0, tag)
            return
        }
        let events =
            (what & CURL_POLL_IN != 0 ? EPOLLIN.rawValue : 0) | (what & CURL_POLL_OUT != 0 ? EPOLLOUT.rawValue : 0)
        if !loop.control(EPOLL_CTL_ADD, file, events, tag) { loop.control(EPOLL_CTL_MOD, file, events, tag) }
    }

    private func callBack(after milliseconds: Int) {
        guard milliseconds >= 0 else {
            deadline = .max
            return
        }
        deadline = loop.now + UInt64(milliseconds) * 1_000_000
        loop.arm(.shard(index), at: deadline)
    }
}

/// The shards of one loop, and which of them have room.
struct ShardSet {
    private var shards: [Shard] = []
    private var vacant: [Shard] = []

    subscript(index: Int) -> Shard { shards[index] }

    /// A place for one more connection; it is taken with this call.
    mutating func vacancy(on loop: EventLoop) -> Shard {
        if vacant.isEmpty {
            let shard = Shard(shards.count, on: loop)
            shards.append(shard)
            vacant.append(shard)
        }
        let shard = vacant[vacant.count - 1]
        shard.count += 1
        if shard.count == Shard.capacity { vacant.removeLast() }
        return shard
    }

    /// Frees a handle, which closes its connection, and its place.
    mutating func release(_ easy: EasyHandle) {
        let shard = easy.shard
        easy.free()
        if shard.count == Shard.capacity { vacant.append(shard) }
        shard.count -= 1
    }
}
#endif
