// An example of the article "Testing your app". Tests/URLSessionTransportTests links to this file, so that it is also run.
// Testing is not there for a program built on a Mac; for a test target it is.
#if canImport(Testing)
import Dispatch
import SteadySocket
import SteadySocketTestKit
import SteadySocketURLSessionTestKit
import Testing

@Suite struct TestingURLSession {
    @Test func replacesASocketThatNoLongerAnswers() throws {
        let queue = DispatchQueue(label: "test")
        let time = ManualTime()
        let simulator = URLSessionSimulator.friendly(time: time, quirks: [.noPong])
        var options = Options()
        options.queue = queue
        options.time = time
        options.lifecycle = .ignored
        options.networkPath = .ignored
        options.transport = simulator.transport()
        let socket = SteadySocket(options: options)

        socket.connect(to: try Channel("wss://chat.example/ws"))
        queue.sync { time.advance(by: .seconds(60)) }  // opens at 1.5 s; the ping at 41.5 s has 10 s
        #expect(simulator.tasks.count == 2)
        #expect(simulator.census.tasks == 1)
    }
}
#endif
