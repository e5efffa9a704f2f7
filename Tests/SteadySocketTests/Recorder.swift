import Dispatch

/// Collects values from any thread.
///
/// `@unchecked Sendable` holds because the values are reached on `queue` only.
final class Recorder<Value: Sendable>: @unchecked Sendable {
    private let queue = DispatchQueue(label: "recorder")
    private var values: [Value] = []

    func add(_ value: Value) { queue.sync { values.append(value) } }
    var all: [Value] { queue.sync { values } }
}
