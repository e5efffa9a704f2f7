import ConnectionCore
import Foundation
public import SteadySocket
public import SteadyTransport
public import URLSessionTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Stands in for `URLSession` under the real `URLSessionTransport`, with a peer that is a script.
///
/// Give `transport()` to `Options.transport`, and the connection runs as it does on a device, but for the network. The
/// simulator shows what it was asked for, counts what is still alive, and plays every quirk of `URLSession` on demand.
/// It may be used from any thread; what it reports is reported before the call that causes it returns.
public final class URLSessionSimulator: Sendable {
    /// Something the transport asked `URLSession` for.
    public enum Call: Sendable, Equatable {
        /// `resume`: the opening handshake starts.
        case resume
        /// `send`.
        case send(Message)
        /// `receive`.
        case receive
        /// `sendPing`.
        case ping
        /// `cancel(with:reason:)`; `SimulatedTask.unsendableCodes` lists the codes a Close frame may not carry.
        case cancel(code: Int, reason: String)
        /// `finishTasksAndInvalidate` of the task's session.
        case finishTasksAndInvalidate
        /// `invalidateAndCancel` of the task's session.
        case invalidateAndCancel
    }

    /// Called for every call, on the thread of the call, with the task to answer on.
    public typealias Script = @Sendable (Call, SimulatedTask) -> Void

    /// How many things of each kind are alive.
    public struct Census: Equatable, Sendable {
        /// Sessions that were not invalidated, or that wait for their task.
        public var sessions = 0
        /// Tasks that have not completed.
        public var tasks = 0
        /// Delegates somebody holds.
        public var delegates = 0
        /// Timers the transport has set.
        public var timers = 0

        /// Nothing is alive.
        public init() {}
    }

    private struct Inner {
        var tasks: [SimulatedTask] = []
        var delegates: [WeakDelegate] = []
        var timers: Set<UInt64> = []
        var lastTimer: UInt64 = 0
    }

    private struct WeakDelegate { weak var delegate: NativeDelegate? }

    /// The quirks.
    public let quirks: Set<URLSessionQuirk>
    let script: Script
    let clock: SimulatedClock
    private let inner = Locked(Inner())

    /// Makes a simulator whose peer follows `script`; without one it records and stays silent.
    ///
    /// - Parameter time: the time the transport and the delays of the quirks go by; share the connection's `ManualTime`.
    public init(
        time: any TimeSource, quirks: Set<URLSessionQuirk> = [], script: @escaping Script = { _, _ in }
    ) {
        clock = SimulatedClock(time: time)
        self.quirks = quirks
        self.script = script
    }

    /// Makes a simulator whose peer opens, answers Pings and Close frames, and has these quirks.
    public static func friendly(
        time: any TimeSource, quirks: Set<URLSessionQuirk> = []
    ) -> URLSessionSimulator {
        URLSessionSimulator(time: time, quirks: quirks) { call, task in
            switch call {
            case .resume:
                if quirks.contains(.hungHandshake) { return }
                if quirks.contains(.refusedUpgrade) {
                    task.refuses(status: 503, headers: ["Retry-After": "7"])
                } else {
                    task.opens()
                }
            case .ping: task.answersPing()
            case .cancel(let code, let reason): task.acknowledgesClose(code: code, reason: reason)
            case .send, .receive, .finishTasksAndInvalidate, .invalidateAndCancel: break
            }
        }
    }

    /// A transport whose sockets are this simulator's.
    public func transport(_ options: URLSessionTransport.Options = URLSessionTransport.Options()) -> URLSessionTransport
    {
        URLSessionTransport(options: options, scheduler: scheduler) { configuration, delegate, _ in
            self.inner.withLock { inner in
                inner.delegates.removeAll { $0.delegate == nil }
                inner.delegates.append(WeakDelegate(delegate: delegate))
            }
            return SimulatedSession(self, configuration, delegate)
        }
    }

    /// The tasks so far, in the order they were made.
    public var tasks: [SimulatedTask] { inner.withLock { $0.tasks } }

    /// What is alive.
    public var census: Census {
        let (tasks, delegates, timers) = inner.withLock { inner in
            (inner.tasks, inner.delegates.count { $0.delegate != nil }, inner.timers.count)
        }
        var census = Census()
        census.sessions = tasks.count { !$0.isSessionReleased }
        census.tasks = tasks.count { !$0.isComplete }
        census.delegates = delegates
        census.timers = timers
        return census
    }

    // MARK: For sessions and tasks

    func add(_ task: SimulatedTask) { inner.withLock { $0.tasks.append(task) } }

    private var scheduler: Scheduler {
        let clock = clock
        return Scheduler(
            now: { clock.time.now },
            schedule: { [weak self] instant, fire in
                guard let self else { return {} }
                let number = inner.withLock { inner in
                    inner.lastTimer += 1
                    inner.timers.insert(inner.lastTimer)
                    return inner.lastTimer
                }
                let finish = { @Sendable [weak self] in
                    _ = self?.inner.withLock { $0.timers.remove(number) }
                }
                let cancel = clock.schedule(instant) {
                    finish()
                    fire()
                }
                return {
                    finish()
                    cancel()
                }
            })
    }
}
