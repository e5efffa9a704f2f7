import Foundation
import Testing

@testable import steady

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// How many bytes of a pipe nobody has read.
func unreadBytes(_ descriptor: Int32) -> Int {
    var count: CInt = 0
    _ = ioctl(descriptor, UInt(FIONREAD), &count)
    return Int(count)
}

/// Whether so many bytes stay unread although every other thread gets its turn, again and again.
func stay(unread count: Int, in descriptor: Int32) -> Bool {
    for _ in 0..<5000 {
        guard unreadBytes(descriptor) == count else { return false }
        sched_yield()
    }
    return true
}

@Suite struct ConnectLineTests {
    private func lines(_ pieces: [[UInt8]], limit: Int = 100) -> [InputLine] {
        var splitter = LineSplitter(limit: limit)
        return pieces.flatMap { splitter.take($0) } + [splitter.finish()].compactMap(\.self)
    }

    private func text(_ number: Int, _ text: String) -> InputLine { InputLine(number: number, content: .text(text)) }

    @Test func theLastLineNeedsNoLineFeedAndEmptyLinesCount() {
        #expect(lines([]) == [])
        #expect(lines([Array("a\n\nb".utf8)]) == [text(1, "a"), text(2, ""), text(3, "b")])
        #expect(lines([Array("a\r\n".utf8)]) == [text(1, "a\r")])
    }

    @Test func everyWayToCutTheInputGivesTheSameLines() {
        let input = Array("héllo\n\u{1F600}x\nlast".utf8)
        for size in 1...input.count {
            let pieces = stride(from: 0, to: input.count, by: size).map {
                Array(input[$0..<min($0 + size, input.count)])
            }
            #expect(lines(pieces) == [text(1, "héllo"), text(2, "\u{1F600}x"), text(3, "last")], "pieces of \(size)")
        }
    }

    @Test func theLimitCountsTheBytesOfALineAndTheNextLineIsFine() {
        let input = Array("1234\n12345\n123456789\nok".utf8)
        let expected = [
            text(1, "1234"), InputLine(number: 2, content: .tooLong(bytes: 5)),
            InputLine(number: 3, content: .tooLong(bytes: 9)), text(4, "ok"),
        ]
        #expect(lines([input], limit: 4) == expected)
        #expect(lines(input.map { [$0] }, limit: 4) == expected)
    }

    @Test func invalidUTF8IsNamedByItsFirstByte() {
        for (bytes, offset) in [
            ([0xFF], 0), ([0x61, 0xC3], 1), ([0x61, 0x62, 0xED, 0xA0, 0x80], 2), ([0xC0, 0x80], 0),
            ([0x61, 0xEF, 0xBF, 0xBD, 0xFE], 4),
        ] as [([UInt8], Int)] {
            #expect(lines([bytes]) == [InputLine(number: 1, content: .invalidUTF8(offset: offset))], "\(bytes)")
        }
        // U+FFFD itself is a fine character.
        #expect(lines([[0xEF, 0xBF, 0xBD]]) == [text(1, "\u{FFFD}")])
        // A byte order mark is part of the text.
        #expect(lines([[0xEF, 0xBB, 0xBF, 0x61]]) == [text(1, "\u{FEFF}a")])
    }

    @Test func nothingIsReadBeforeALineIsAskedFor() async throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        var iterator = InputLines(descriptor: descriptor, limit: 10).makeAsyncIterator()
        try pipe.fileHandleForWriting.write(contentsOf: Data("a\nb\n".utf8))
        #expect(stay(unread: 4, in: descriptor))
        #expect(await iterator.next() == text(1, "a"))
        try pipe.fileHandleForWriting.write(contentsOf: Data("c".utf8))
        #expect(stay(unread: 1, in: descriptor))
        #expect(await iterator.next() == text(2, "b"))
        #expect(stay(unread: 1, in: descriptor))
        try pipe.fileHandleForWriting.close()
        #expect(await iterator.next() == text(3, "c"))
        #expect(await iterator.next() == nil)
    }

    @Test func aReaderThatIsCancelledStopsWaiting() async throws {
        let pipe = Pipe()
        let lines = InputLines(descriptor: pipe.fileHandleForReading.fileDescriptor, limit: 10)
        let reading = Task { for await _ in lines {} }
        reading.cancel()
        await reading.value
        // The thread that reads is let go too.
        try pipe.fileHandleForWriting.close()
    }

    @Test func anInputThatCannotBeReadIsAnError() async throws {
        // Open for writing only, so that reading fails with EBADF.
        let descriptor = open("/dev/null", O_WRONLY)
        defer { close(descriptor) }
        var iterator = InputLines(descriptor: descriptor, limit: 10).makeAsyncIterator()
        let line = await iterator.next()
        guard case .unreadable(let reason)? = line?.content else {
            Issue.record("expected an error, not \(String(describing: line))")
            return
        }
        #expect(reason.contains("Bad file descriptor"))
        #expect(await iterator.next() == nil)
    }
}
