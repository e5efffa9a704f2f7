import Foundation
import SteadySocket
import URLSessionTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session that makes one task, and holds its delegate until it has been invalidated and the task is complete.
final class SimulatedSession: NativeSession {
    private let simulator: URLSessionSimulator
    private let configuration: URLSessionConfiguration
    private let delegate: Locked<NativeDelegate?>
    private let task = Locked<SimulatedTask?>(nil)

    init(_ simulator: URLSessionSimulator, _ configuration: URLSessionConfiguration, _ delegate: NativeDelegate) {
        self.simulator = simulator
        self.configuration = configuration
        self.delegate = Locked(delegate)
    }

    func webSocketTask(with request: URLRequest) -> any NativeTask { make(request) }

    func webSocketTask(with url: URL, protocols: [String]) -> any NativeTask {
        var request = URLRequest(url: url)
        if !protocols.isEmpty {
            request.setValue(protocols.joined(separator: ", "), forHTTPHeaderField: "Sec-WebSocket-Protocol")
        }
        return make(request)
    }

    func finishTasksAndInvalidate() { task.withLock { $0 }?.invalidated(cancelling: false) }

    func invalidateAndCancel() { task.withLock { $0 }?.invalidated(cancelling: true) }

    private func make(_ request: URLRequest) -> any NativeTask {
        let made = SimulatedTask(simulator, request, configuration, delegate.withLock { $0 })
        delegate.withLock { $0 = nil }
        task.withLock { $0 = made }
        simulator.add(made)
        return made
    }
}
