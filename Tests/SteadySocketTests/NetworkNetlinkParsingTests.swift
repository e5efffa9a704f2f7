#if os(Linux)
import Testing

@testable import SteadySocket

@Suite struct NetworkNetlinkParsingTests {
    @Test func aRecordedDumpIsReadWhole() {
        let (messages, isWhole) = NetlinkMessage.parse(NetlinkBytes.recordedRoutes[...])
        #expect(isWhole)
        #expect(messages.map(\.type) == [24, 24, 24, 24, 24, 24, 24, 3])
        #expect(messages.allSatisfy { $0.sequence == 1 && $0.flags == 2 })
        #expect(messages.map(\.payload.count) == [44, 64, 28, 44, 100, 80, 100, 4])
        #expect(messages.last?.errorNumber == 0)
    }

    @Test func messagesArePaddedToFourBytes() {
        let bytes = NetlinkBytes.message(type: 24, [1]) + NetlinkBytes.message(type: 25, [2, 3])
        let (messages, isWhole) = NetlinkMessage.parse(bytes[...])
        #expect(isWhole)
        #expect(messages.map { Array($0.payload) } == [[1], [2, 3]])
    }

    @Test func theLastMessageMayLackItsPadding() {
        let (messages, isWhole) = NetlinkMessage.parse(NetlinkBytes.message(type: 24, [1]).dropLast(3))
        #expect(isWhole)
        #expect(messages.map { Array($0.payload) } == [[1]])
    }

    @Test("A length no message can have ends the walk", arguments: [0, 1, 15, 21, 1000, 0x7FFF_FFFF, 0xFFFF_FFFF])
    func aLyingLengthEndsTheWalk(claimed: Int) {
        let good = NetlinkBytes.message(type: 24, [1, 2, 3, 4])
        let liar = NetlinkBytes.message(type: 25, claiming: claimed, [1, 2, 3, 4])
        let (messages, isWhole) = NetlinkMessage.parse((good + liar)[...])
        #expect(!isWhole)
        #expect(messages.map(\.type) == [24])
    }

    @Test func everyTruncationIsNoticed() {
        let bytes = NetlinkBytes.recordedRoutes
        let ends: Set = [0, 60, 140, 184, 244, 360, 456, 572, 592]
        #expect(bytes.count == 592)
        for size in 0...bytes.count {
            let (messages, isWhole) = NetlinkMessage.parse(bytes.prefix(size))
            #expect(isWhole == ends.contains(size), "size \(size)")
            #expect(messages.count == ends.count { $0 <= size } - 1, "size \(size)")
        }
    }

    @Test func attributesAreSplit() {
        let bytes = NetlinkBytes.attribute(4, [5, 0, 0, 0]) + NetlinkBytes.attribute(0x8009, [1]) + [0, 0]
        #expect(
            NetlinkAttribute.parse(bytes[...]) == [
                NetlinkAttribute(type: 4, value: [5, 0, 0, 0]), NetlinkAttribute(type: 9, value: [1]),
            ])
    }

    @Test("A length no attribute can have ends the walk", arguments: [0, 3, 9, 0xFFFF])
    func aLyingAttributeEndsTheWalk(claimed: Int) {
        let bytes = NetlinkBytes.interface(5) + NetlinkBytes.attribute(5, claiming: claimed, [10, 9, 0, 1])
        #expect(NetlinkAttribute.parse(bytes[...]).map(\.type) == [4])
    }

    @Test(arguments: [(0, 0), (-16, 16), (16, 16), (Int32.min, Int32.min)] as [(Int32, Int32)])
    func errorNumbersArePositive(code: Int32, expected: Int32) {
        let (messages, _) = NetlinkMessage.parse(NetlinkBytes.message(type: 2, NetlinkBytes.integer(code))[...])
        #expect(messages.first?.errorNumber == expected)
    }

    @Test func anErrorWithoutANumberIsNone() {
        #expect(NetlinkMessage.parse(NetlinkBytes.message(type: 3, [])[...]).messages.first?.errorNumber == 0)
    }

    /// Bytes from nowhere and bytes that are nearly right, 60,000 of each: nothing traps, nothing is read twice.
    @Test func hostileBytesNeverTrap() {
        var generator = SplitMix64(state: 0x5EED)
        for _ in 0..<60_000 {
            let noise = (0..<Int.random(in: 0...96, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            check(noise)
            var damaged = NetlinkBytes.recordedRoutes
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                damaged[Int.random(in: 0..<damaged.count, using: &generator)] =
                    Bool.random(using: &generator) ? UInt8.random(in: 0...255, using: &generator) : 0xFF
            }
            check(Array(damaged.prefix(Int.random(in: 0...damaged.count, using: &generator))))
        }
    }

    private func check(_ bytes: [UInt8]) {
        let (messages, _) = NetlinkMessage.parse(bytes[...])
        var table = RouteTable()
        for message in messages {
            table.take(message)
            _ = RouteTable.concernsPath(message)
            _ = message.errorNumber
        }
        _ = table.path
        let read = messages.reduce(0) { $0 + 16 + $1.payload.count }
        if read > bytes.count { Issue.record("read \(read) of \(bytes.count) bytes") }
    }
}

/// Sebastiano Vigna's SplitMix64: a seed replays the same bytes everywhere.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
#endif
