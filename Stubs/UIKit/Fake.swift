// What the stand-ins do, and how a test drives them.
#if !os(watchOS)
public import Foundation

/// What UIKit would know about the app. `@unchecked Sendable` holds because the state is reached under the lock alone.
public final class _Fake: @unchecked Sendable {
    struct State {
        var state = UIApplication.State.active
        var refuses = false
        var begun = 0
        var mostAtATime = 0
        var tasks: [UIBackgroundTaskIdentifier: (@MainActor @Sendable () -> Void)?] = [:]
        var strayEnds = 0
        var onEnd: (@Sendable () -> Void)?
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
        let onEnd = read { state in
            if state.tasks.removeValue(forKey: task) == nil { state.strayEnds += 1 }
            return state.onEnd
        }
        onEnd?()
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
    /// Called whenever a task is ended.
    public var onEnd: (@Sendable () -> Void)? {
        get { read { $0.onEnd } }
        set { read { $0.onEnd = newValue } }
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
