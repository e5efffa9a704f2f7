#if os(Linux)
import Testing

@testable import CurlTransport

/// Compression of messages (RFC 7692).
@Suite struct DeflateTests {
    private func deflated(_ bytes: [UInt8], bits: Int32 = 15) throws -> [UInt8] {
        let deflater = try #require(Deflater(windowBits: bits))
        return try #require(bytes.withUnsafeBytes { deflater.deflate($0) })
    }

    private func inflater(bits: Int32 = 15, keepsContext: Bool = false) throws -> Inflater {
        try #require(Inflater(windowBits: bits, keepsContext: keepsContext))
    }

    @Test func theExamplesOfTheRFCAreRead() throws {
        let inflater = try inflater(keepsContext: true)
        let hello = Array("Hello".utf8)
        // Section 7.2.3.1, and 7.2.3.2 with the context of the first.
        #expect(try inflater.inflate([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], limit: 5) == hello)
        #expect(try inflater.inflate([0xF2, 0x00, 0x11, 0x00, 0x00], limit: 5) == hello)
        // Section 7.2.3.3: no compression. 7.2.3.4: a last block. 7.2.3.5: two blocks.
        let fresh = try self.inflater()
        #expect(
            try fresh.inflate([0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00], limit: 5) == hello)
        #expect(try fresh.inflate([0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], limit: 5) == hello)
        #expect(
            try fresh.inflate([0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00], limit: 5)
                == hello)
        // Section 7.2.3.6: an empty message.
        #expect(try fresh.inflate([0x00], limit: 5) == [])
    }

    @Test func aReferenceToAnEarlierMessageFailsWithoutContext() throws {
        let inflater = try inflater()
        _ = try inflater.inflate([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], limit: 5)
        #expect(throws: Inflater.Failure.corrupt) { try inflater.inflate([0xF2, 0x00, 0x11, 0x00, 0x00], limit: 5) }
    }

    @Test(arguments: 9...15 as ClosedRange<Int32>)
    func messagesSurviveEveryWindow(bits: Int32) throws {
        let inflater = try inflater(bits: bits)
        for count in [128, 5000, 40_000] {
            let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7 * $0) & 0x3F }
            #expect(try inflater.inflate(try deflated(message, bits: bits), limit: count) == message)
        }
    }

    @Test func whatDoesNotShrinkIsLeftAlone() throws {
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<4096).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let deflater = try #require(Deflater(windowBits: 15))
        #expect(noise.withUnsafeBytes { deflater.deflate($0) } == nil)
        #expect(Deflater(windowBits: 8) == nil, "zlib has no raw stream with 8 bits; such messages are not compressed")
    }

    @Test func decompressionStopsAtTheLimit() throws {
        let bomb = try deflated([UInt8](repeating: 0, count: 5_000_000))
        #expect(bomb.count < 30_000)
        let inflater = try inflater()
        #expect(throws: Inflater.Failure.tooBig) { try inflater.inflate(bomb, limit: 1_000_000) }
        #expect(throws: Inflater.Failure.tooBig) { try inflater.inflate(bomb, limit: 4_999_999) }
        #expect(try inflater.inflate(bomb, limit: 5_000_000).count == 5_000_000)
    }

    @Test func garbageIsRefused() throws {
        let inflater = try inflater()
        for garbage in [[0xFF, 0xFF, 0xFF], [0x06, 0x00], [UInt8]("plain text, not DEFLATE".utf8)] as [[UInt8]] {
            #expect(throws: Inflater.Failure.corrupt) { try inflater.inflate(garbage, limit: 1000) }
        }
        #expect(try inflater.inflate([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], limit: 5).count == 5)
    }
}
#endif
