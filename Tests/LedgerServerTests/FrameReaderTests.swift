import ConnectionCore
import Testing
import WebSocketWire

@testable import LedgerServer
import RawClient

@Suite struct FrameReaderTests {
    /// What reading `bytes` in pieces of `size` brings: the events, and the violation that ended it.
    private func read(
        _ bytes: [UInt8], by size: Int = .max, limit: Int = 1000
    ) -> (events: [FrameReader.Event], violation: FrameReader.Violation?) {
        var reader = FrameReader(maximumMessageBytes: limit)
        var events: [FrameReader.Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            rest = rest.dropFirst(piece.count)
            var mayGoOn = true
            do {
                try piece.withUnsafeBytes { bytes in
                    try reader.consume(bytes) { event in
                        events.append(event)
                        if case .close = event { mayGoOn = false }
                        return mayGoOn
                    }
                }
            } catch {
                return (events, error as? FrameReader.Violation)
            }
            if !mayGoOn { return (events, nil) }
        }
        return (events, nil)
    }

    private func encode(_ frames: RawClient.Frame...) -> [UInt8] { frames.flatMap { RawClient.encode($0) } }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func everythingIsReadInPiecesOfAnySize(size: Int) {
        let long = [UInt8](repeating: 0xC3, count: 300)
        let bytes = encode(
            .text("grüß"), .init(.text, [0xE2], isFinal: false), .init(.ping, [1, 2]),
            .init(.continuation, [0x82], isFinal: false), .init(.continuation, [0xAC]), .init(.binary, []),
            .init(.binary, long), .init(.pong, [9]), .close(4001, "ende"), .text("unread"))
        let (events, violation) = read(bytes, by: size)
        #expect(violation == nil)
        #expect(
            events == [
                .text(Array("grüß".utf8)), .ping([1, 2]), .text(Array("€".utf8)), .binary([]), .binary(long), .pong,
                .close(ClosePayload(code: 4001, reason: "ende")),
            ])
    }

    @Test func anEmptyCloseHasNoCode() {
        #expect(read(encode(.close(nil))).events == [.close(ClosePayload())])
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var code: CloseCode

        init(_ name: String, _ bytes: [UInt8], _ code: CloseCode = .protocolError) {
            testDescription = name
            self.bytes = bytes
            self.code = code
        }
    }

    static let broken: [Broken] = [
        Broken("unmasked", RawClient.encode(.text("a"), masked: false)),
        Broken("RSV2", RawClient.encode(.text("a"), reserved: 2)),
        Broken("RSV1", [0xC1, 0x80, 0, 0, 0, 0]),
        Broken("opcode 3", RawClient.encode(.init(Opcode(rawValue: 3), []))),
        Broken("opcode B", RawClient.encode(.init(Opcode(rawValue: 0xB), []))),
        Broken("fragmented ping", RawClient.encode(.init(.ping, [], isFinal: false))),
        Broken("long ping", RawClient.encode(.init(.ping, [UInt8](repeating: 0, count: 126)))),
        Broken("length not shortest", [0x82, 0xFE, 0, 5] + [0, 0, 0, 0] + [1, 2, 3, 4, 5]),
        Broken("length with top bit", [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0]),
        Broken("stray continuation", RawClient.encode(.init(.continuation, [1]))),
        Broken(
            "message within a message",
            RawClient.encode(.init(.text, [], isFinal: false)) + RawClient.encode(.text("b"))),
        Broken("half a code", RawClient.encode(.init(.close, [3]))),
        Broken("close 1005", RawClient.encode(.close(1005))),
        Broken("close 999", RawClient.encode(.close(999))),
        Broken("close 5000", RawClient.encode(.close(5000))),
        Broken("reason not UTF-8", RawClient.encode(.init(.close, [3, 232, 0xFF])), .invalidPayloadData),
        Broken("text not UTF-8", RawClient.encode(.init(.text, [0xC0, 0x80])), .invalidPayloadData),
        Broken("text cut in a character", RawClient.encode(.init(.text, [0xE2, 0x82])), .invalidPayloadData),
        Broken(
            "fragment not UTF-8", RawClient.encode(.init(.text, [0x61, 0xFF], isFinal: false)), .invalidPayloadData),
        Broken("too big", RawClient.encode(.init(.binary, [UInt8](repeating: 0, count: 1001))), .messageTooBig),
        Broken(
            "too big in fragments",
            RawClient.encode(.init(.binary, [UInt8](repeating: 0, count: 600), isFinal: false))
                + RawClient.encode(.init(.continuation, [UInt8](repeating: 0, count: 401))), .messageTooBig),
    ]

    @Test(arguments: broken, [1, 1000])
    func aBrokenRuleIsNamed(broken: Broken, size: Int) {
        let (events, violation) = read(broken.bytes, by: size)
        #expect(violation?.code == broken.code)
        #expect(violation?.message.isEmpty == false)
        #expect(events.isEmpty)
    }

    @Test func theLimitItselfIsAllowedAndAnAnnouncementIsNotBelieved() {
        #expect(read(encode(.init(.binary, [UInt8](repeating: 1, count: 1000)))).violation == nil)
        // 2^62 bytes announced: refused with the header, before anything is reserved.
        let huge: [UInt8] = [0x82, 0xFF, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(read(huge, limit: .max >> 8).violation?.code == .messageTooBig)
    }
}
