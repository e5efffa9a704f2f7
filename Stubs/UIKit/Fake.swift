// What the stand-ins do, and how a test drives them.
import Dispatch
public import Foundation

#if !os(watchOS)
/// What UIKit would know about the app. `@unchecked Sendable` holds because the state is reached under the lock alone.
public final class _Fake: @unchecked Sendable {
    struct State {
        var state = UIApplication.State.active
        var refuses = false
        var begun = 0
        var mostAtATime = 0
        var tasks: [UIBackgroundTaskIdentifier: (@MainActor @Sendable () -> Void)?] = [:]
        var strayEnds = 0
    }

    private let lock = NSLock()
    private var state = State()

    func read<Result>(_ body: (inout State) -> Result) -> Result { lock.withLock { body(&state) } }

    func begin(_ handler: (@MainActor @Sendable () -> Void)?) -> UIBackgroundTaskIdentifier {
        read { state in
            guard !state.refuses else { return .invalid }
            state.begun += 1
            let task = UIBackgroundTaskIdentifier(rawValue: state.begun)
            state.tasks[task] = .some(handler)
            state.mostAtATime = max(state.mostAtATime, state.tasks.count)
            return task
        }
    }

    func end(_ task: UIBackgroundTaskIdentifier) {
        read { state in
            if state.tasks.removeValue(forKey: task) == nil { state.strayEnds += 1 }
        }
    }

    /// Where the app is, for those who ask.
    public var applicationState: UIApplication.State {
        get { read { $0.state } }
        set { read { $0.state = newValue } }
    }
    /// Whether every background task is refused with `.invalid`.
    public var refusesTasks: Bool {
        get { read { $0.refuses } }
        set { read { $0.refuses = newValue } }
    }
    /// How many tasks were begun.
    public var begunTasks: Int { read { $0.begun } }
    /// How many tasks are begun and not ended.
    public var openTasks: Int { read { $0.tasks.count } }
    /// The most tasks that were open at a time.
    public var mostTasksAtATime: Int { read { $0.mostAtATime } }
    /// How often a task was ended that was not there, `.invalid` included.
    public var strayEnds: Int { read { $0.strayEnds } }
}

extension UIApplication {
    /// Posts a notification as UIKit does: on the main thread, with the app as its object.
    public func _post(_ name: NSNotification.Name, _ state: State, in center: NotificationCenter) {
        _fake.applicationState = state
        center.post(name: name, object: self)
    }

    /// Runs the expiration handlers. UIKit ends the app if a task is open afterwards; this returns how many are.
    public func _expireTasks() -> Int {
        for handler in _fake.read({ Array($0.tasks.values) }) { handler?() }
        return _fake.openTasks
    }
}
#endif

/// The expiring activities of the process. `@unchecked Sendable` holds because the list is reached under the lock alone.
public final class _ExpiringActivities: @unchecked Sendable {
    /// Those of this process.
    public static let shared = _ExpiringActivities()

    private let lock = NSLock()
    private var running: [Int: @Sendable (Bool) -> Void] = [:]
    private var count = 0
    private var refuses = false

    /// Whether every activity is told at once that the process is about to be suspended.
    public var refusesActivities: Bool {
        get { lock.withLock { refuses } }
        set { lock.withLock { refuses = newValue } }
    }
    /// How many blocks have not returned.
    public var runningCount: Int { lock.withLock { running.count } }

    func perform(_ block: @escaping @Sendable (Bool) -> Void) {
        let (id, refused) = lock.withLock {
            count += 1
            running[count] = block
            return (count, refuses)
        }
        // A thread of its own: the block may wait for long.
        Thread.detachNewThread {
            block(refused)
            self.lock.withLock { _ = self.running.removeValue(forKey: id) }
        }
    }

    /// Calls every running block once more, with true, on a thread that is not the main one, and returns afterwards.
    public func _expire() async {
        let blocks = lock.withLock { Array(running.values) }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                for block in blocks { block(true) }
                continuation.resume()
            }
        }
    }
}
