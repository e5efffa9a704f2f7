#if os(Linux)
import CCurl
import CEpoll
import Glibc
import Synchronization

/// One thread that serves any number of sockets through epoll.
///
/// A turn of the loop takes in what other threads asked for, what the kernel reports and what fell due; only then does it
/// write, so that a burst of small messages becomes one system call.
// Other threads touch only `inbox`, `wakeUp` and `nextID`, which are made for it; everything else is touched by the
// loop's own thread alone.
package final class EventLoop: @unchecked Sendable {
    /// The loop all sockets of the process share. Its thread starts with the first use and never ends.
    package static let shared = EventLoop()

    /// Connections being made at one time. libcurl looks every name up on a thread of its own; this bounds those threads,
    /// and keeps a burst of thousands within the backlog of a server's listening socket.
    static let concurrentConnects = 48

    private let inbox = Mutex<[@Sendable () -> Void]>([])
    private let wakeUp = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    private let nextID = Atomic<UInt64>(1)
    private let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let thread = Mutex<pthread_t?>(nil)

    /// Where every socket reads to; what it keeps, it copies.
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    /// Masking keys for the frames of every socket.
    var masks = MaskSource()
    /// One compressor per window size for all sockets: none keeps its context from message to message.
    var deflaters: [Int32: Deflater] = [:]

    private var sockets: [UInt64: CurlSocket] = [:]
    private var shards = ShardSet()
    private var deadlines = DeadlineQueue()
    private var waitingToConnect: [CurlSocket] = []
    private var connecting = 0
    private var lingering = 0
    /// Each one costs a descriptor and libcurl's memory for it.
    private static let maximumLingering = 256
    private var unwritten: [CurlSocket] = []
    private var unread: [CurlSocket] = []
    private var released: [EasyHandle] = []
    private var running: Int32 = 0

    /// Starts a loop with a thread of its own, which never ends.
    package init() {
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        precondition(epoll >= 0 && wakeUp >= 0, "no file descriptor left for an event loop")
        control(EPOLL_CTL_ADD, wakeUp, EPOLLIN.rawValue, .wakeUp)
        let context = Unmanaged.passRetained(self).toOpaque()
        var id = pthread_t()
        let failure = pthread_create(
            &id, nil,
            { context in
                let loop = Unmanaged<EventLoop>.fromOpaque(context!).takeRetainedValue()
                loop.thread.withLock { $0 = pthread_self() }
                loop.run()
            }, context)
        precondition(failure == 0, "no thread left for an event loop")
        pthread_detach(id)
    }

    // MARK: From any thread

    /// Runs `work` on the loop's thread, in the order of the calls; never within this call.
    func post(_ work: @escaping @Sendable () -> Void) {
        let wasEmpty = inbox.withLock { queue in
            queue.append(work)
            return queue.count == 1
        }
        // A turn looks into the inbox before it sleeps, so the loop's own thread need not wake itself.
        if wasEmpty && !isCurrent { _ = eventfd_write(wakeUp, 1) }
    }

    func makeID() -> UInt64 { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }

    private var isCurrent: Bool { thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false } }

    /// Nanoseconds on a monotonic clock.
    var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    // MARK: From the loop's thread

    func add(_ socket: CurlSocket) {
        sockets[socket.id] = socket
        arm(.socket(socket.id), at: socket.deadline)
        waitingToConnect.append(socket)
    }

    /// Forgets a socket. Its handle is freed after the turn, never inside one of libcurl's callbacks.
    func remove(_ socket: CurlSocket) {
        sockets[socket.id] = nil
        if let easy = socket.easy { released.append(easy) }
    }

    func arm(_ owner: DeadlineQueue.Owner, at time: UInt64) {
        deadlines.insert(DeadlineQueue.Entry(at: time, owner: owner))
    }

    /// Writes the socket's queue at the end of this turn.
    func writeLater(_ socket: CurlSocket) { unwritten.append(socket) }

    /// Reads from the socket in the next turn, whatever epoll says: TLS may hold bytes the kernel has no more.
    func readLater(_ socket: CurlSocket) { unread.append(socket) }

    func connectEnded() { connecting -= 1 }

    /// Makes room for a connection that lingers after its end; false if there are enough.
    func beginLingering() -> Bool {
        guard lingering < Self.maximumLingering else { return false }
        lingering += 1
        return true
    }

    func endLingering() { lingering -= 1 }

    @discardableResult
    func control(_ operation: Int32, _ file: Int32, _ events: UInt32, _ tag: EventTag) -> Bool {
        var event = epoll_event()
        event.events = events
        event.data.u64 = tag.encoded
        return epoll_ctl(epoll, operation, file, &event) == 0
    }

    // MARK: The thread

    private func run() -> Never {
        steady_name_thread("SteadySocket")
        // Signal handlers belong on the app's threads. SIGPIPE in particular: OpenSSL writes without MSG_NOSIGNAL.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while true {
            let count = epoll_wait(epoll, &events, Int32(events.count), sleepMilliseconds())
            // Before what the kernel reports, which may be an answer to what another thread has done since it asked
            // for something here; and after, for what the reports have led to.
            drainInbox()
            for event in events.prefix(Int(max(count, 0))) { dispatch(event) }
            drainInbox()
            expire()
            for socket in take(&unread) { socket.readable() }
            startConnecting()
            while !unwritten.isEmpty { for socket in take(&unwritten) { socket.write() } }
            for easy in take(&released) { shards.release(easy) }
        }
    }

    private func drainInbox() {
        for work in inbox.withLock({ take(&$0) }) { work() }
    }

    private func sleepMilliseconds() -> Int32 {
        let isBusy = !unread.isEmpty || inbox.withLock { !$0.isEmpty }
        if isBusy || (!waitingToConnect.isEmpty && connecting < Self.concurrentConnects) { return 0 }
        guard let next = deadlines.next else { return -1 }
        let now = now
        // Rounded up, or the loop would spin through the last millisecond.
        return next <= now ? 0 : Int32(min((next - now + 999_999) / 1_000_000, 3_600_000))
    }

    private func dispatch(_ event: epoll_event) {
        switch EventTag(encoded: event.data.u64) {
        case .wakeUp:
            var value: eventfd_t = 0
            eventfd_read(wakeUp, &value)
        case .socket(let id):
            sockets[id]?.ready(event.events)
        case .connecting(let index, let file):
            let shard = shards[index]
            let mask =
                (event.events & EPOLLIN.rawValue != 0 ? CURL_CSELECT_IN : 0)
                | (event.events & EPOLLOUT.rawValue != 0 ? CURL_CSELECT_OUT : 0)
                | (event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 ? CURL_CSELECT_ERR : 0)
            curl_multi_socket_action(shard.multi, file, mask, &running)
            finishConnects(shard)
        }
    }

    private func expire() {
        let now = now
        while let due = deadlines.popDue(now) {
            switch due.owner {
            case .socket(let id):
                if let socket = sockets[id], socket.deadline == due.at { socket.deadlineReached() }
            case .shard(let index):
                let shard = shards[index]
                guard shard.deadline == due.at else { continue }
                shard.deadline = .max
                curl_multi_socket_action(shard.multi, CURL_SOCKET_TIMEOUT, 0, &running)
                finishConnects(shard)
            }
        }
    }

    private func startConnecting() {
        guard !waitingToConnect.isEmpty else { return }
        var started = 0
        while started < waitingToConnect.count, connecting < Self.concurrentConnects {
            let socket = waitingToConnect[started]
            started += 1
            guard socket.isWaitingToConnect else { continue }
            connecting += 1
            socket.connect(in: shards.vacancy(on: self))
        }
        waitingToConnect.removeFirst(started)
    }

    private func finishConnects(_ shard: Shard) {
        var left: Int32 = 0
        while let message = curl_multi_info_read(shard.multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let id = EasyHandle.socketID(of: message.pointee.easy_handle)
            else { continue }
            sockets[id]?.connected(steady_message_result(message))
        }
    }
}

/// Empties a list and returns what was in it.
private func take<Element>(_ list: inout [Element]) -> [Element] {
    let taken = list
    list = []
    return taken
}

/// Whom an epoll event is for, packed into its 64 bits.
enum EventTag {
    case wakeUp
    case socket(UInt64)
    /// A file descriptor that libcurl still works on.
    case connecting(shard: Int, file: Int32)

    init(encoded: UInt64) {
        if encoded == 0 {
            self = .wakeUp
        } else if encoded >> 63 == 1 {
            self = .socket(encoded & ~(1 << 63))
        } else {
            self = .connecting(shard: Int(encoded >> 32) - 1, file: Int32(truncatingIfNeeded: encoded))
        }
    }

    var encoded: UInt64 {
        switch self {
        case .wakeUp: 0
        case .socket(let id): 1 << 63 | id
        case .connecting(let shard, let file): UInt64(shard + 1) << 32 | UInt64(UInt32(bitPattern: file))
        }
    }
}
#endif
