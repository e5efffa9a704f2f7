import Foundation
import SteadySocket
import SteadySocketTestKit
import SteadySocketURLSessionTestKit
import Testing
import URLSessionTransport

@Suite struct MessageTests {
    @Test("complaint 15: one receive is outstanding while somebody wants a message, and none else")
    func demand() throws {
        let bench = try Bench(demand: 0)
        #expect(try !bench.task.isReceiving)
        for text in ["1", "2", "3", "4"] { try bench.task.delivers(.text(text)) }
        #expect(bench.facts.messages == [])
        bench.socket?.receive(1)
        #expect(bench.facts.messages == [.text("1")])
        #expect(try !bench.task.isReceiving)
        // The simulator traps at a second receive while one is outstanding.
        bench.socket?.receive(2)
        bench.socket?.receive(2)
        #expect(bench.facts.messages == [.text("1"), .text("2"), .text("3"), .text("4")])
        #expect(try bench.task.isReceiving)
        #expect(try bench.task.calls.count { $0 == .receive } == 5)
        bench.socket?.receive(0)
        bench.socket?.receive(-1)
        bench.socket?.receive(.max)
        bench.socket?.receive(.max)
        #expect(try bench.task.calls.count { $0 == .receive } == 5)
    }

    @Test("10,000 waiting messages come in order and do not pile up on the stack")
    func burst() throws {
        let bench = try Bench(demand: 0)
        for number in 0..<10_000 { try bench.task.delivers(.text("\(number)")) }
        bench.socket?.receive(10_000)
        #expect(bench.facts.messages == (0..<10_000).map { .text("\($0)") })
    }

    @Test("text and binary, both ways, empty ones too")
    func kinds() throws {
        let bench = try Bench()
        let messages: [Message] = [.text("täxt"), .binary(Data([0, 255])), .text(""), .binary(Data())]
        for message in messages {
            try bench.task.delivers(message)
            #expect(bench.send(message).all == [nil])
        }
        #expect(bench.facts.messages == messages)
        #expect(try bench.task.calls.compactMap { if case .send(let sent) = $0 { sent } else { nil } } == messages)
    }

    @Test("complaint 20: maximumMessageSize comes from the limits, not from the default of 1 MiB")
    func maximumMessageSize() throws {
        for (limit, size) in [(16 << 20, 16 << 20 + 1), (.max, .max), (0, 1), (-5, 1)] {
            let bench = try Bench(limits: TransportLimits(maximumMessageBytes: limit))
            #expect(try bench.task.maximumMessageSize == size)
        }
    }

    @Test("complaint 20: POSIX 40 closes with 1009 and is told as a rule the peer broke")
    func tooBigForSystem() throws {
        let bench = try Bench([.messageOverLimit])
        try bench.task.delivers(.text("long"))
        #expect(try bench.task.cancelCodes == [1009])
        #expect(bench.facts.messages == [])
        #expect(bench.facts.end?.error?.code == .protocolViolation)
        try bench.expectEnd(.protocolViolation(.messageTooBig), .acknowledged)
    }

    @Test("complaint 20: POSIX 40 from didComplete alone is told as 1009 too")
    func tooBigAtCompletion() throws {
        let bench = try Bench(script: Bench.silent)
        try bench.task.opens()
        try bench.task.completes(posix: 40)
        try bench.expectEnd(.protocolViolation(.messageTooBig), .unknown(after: .zero))
    }

    @Test("complaint 20: the limit is exact, whatever the system lets through")
    func tooBigForUs() throws {
        let bench = try Bench(limits: TransportLimits(maximumMessageBytes: 4))
        try bench.task.delivers(.text("four"))
        #expect(bench.facts.messages == [.text("four")])
        try bench.task.ignoresMaximumMessageSize()
        try bench.task.delivers(.binary(Data(count: 5)))
        #expect(bench.facts.messages == [.text("four")])
        #expect(try bench.task.cancelCodes == [1009])
        try bench.expectEnd(.protocolViolation(.messageTooBig), .acknowledged)
    }

    @Test("a message too big to send is refused and harms nothing")
    func tooBigToSend() throws {
        let bench = try Bench(limits: TransportLimits(maximumMessageBytes: 4))
        #expect(bench.send(.text("fives")).all == [.messageTooBig])
        #expect(bench.send(.text("four")).all == [nil])
        #expect(bench.facts.end == nil)
    }

    @Test("no more than maximumQueuedBytes wait, an empty queue takes one message of any size, and room comes back")
    func queueBound() throws {
        let bench = try Bench([.sendsStall], limits: TransportLimits(maximumQueuedBytes: 100))
        let first = bench.send(.binary(Data(count: 1000)))
        #expect(bench.send(.binary(Data())).all == [.queueFull])
        try bench.task.takesMessages()
        #expect(first.all == [nil])
        let small = (0..<8).map { _ in bench.send(.text("")) }
        // An empty message takes up the room of its header: seven fit into 100 bytes.
        #expect(small.map(\.all) == Array(repeating: [], count: 7) + [[.queueFull]])
        try bench.task.takesMessages()
        #expect(small.map(\.all) == Array(repeating: [nil], count: 7) + [[.queueFull]])
    }

    @Test("every message that was not taken is told so when the socket ends, before the end is, and once")
    func unsent() throws {
        let bench = try Bench([.sendsStall, .lateCallbacks], script: Bench.silent)
        try bench.task.opens()
        let facts = bench.facts
        let ended = Recorder<Bool>()
        bench.socket?.send(.text("1")) { _ in ended.add(facts.end != nil) }
        let second = bench.send(.text("2"))
        bench.socket?.abandon()
        try bench.task.takesMessages()
        #expect(ended.all == [false])
        #expect(second.all == [.closed])
        #expect(bench.send(.text("3")).all == [.closed])
        try bench.expectEnd(.connectionLost, .unknown(after: .zero))
    }

    @Test("whoever hears a fact may call back in the middle of it")
    func reentrant() throws {
        let time = ManualTime()
        let simulator = URLSessionSimulator.friendly(time: time)
        let facts = FactLog()
        let box = Locked<(any TransportSocket)?>(nil)
        let socket = simulator.transport()
            .open(try ConnectionRequest("ws://example.com"), attempt: AttemptID(1), limits: TransportLimits()) { fact in
                facts.add(fact)
                guard case .message = fact, let socket = box.withLock({ $0 }) else { return }
                socket.ping()
                socket.send(.text("echo")) { _ in }
                socket.close(code: .normalClosure, reason: "enough")
                socket.receive(5)
            }
        box.withLock { $0 = socket }
        socket.receive(1)
        simulator.tasks.first?.delivers(.text("hello"))
        facts.expectInOrder()
        #expect(facts.end?.outcome == .acknowledged)
        #expect(facts.messages == [.text("hello")])
        box.withLock { $0 = nil }
    }
}
