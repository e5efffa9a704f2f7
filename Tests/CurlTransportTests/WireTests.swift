import Testing
import WebSocketWire

/// The pieces of RFC 6455 both ends share.
@Suite struct WireTests {
    // MARK: Opening handshake

    @Test func acceptAnswersTheKeyOfTheRFC() {
        // RFC 6455 section 1.3.
        #expect(HandshakeKey.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
    ])
    func digestsMatchThePublishedVectors(message: String, digest: String) {
        let hex = sha1(Array(message.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        #expect(hex.joined() == digest)
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64MatchesTheVectorsOfRFC4648(text: String, encoded: String) {
        #expect(base64(Array(text.utf8)) == encoded)
    }

    @Test func keysAreSixteenRandomBytes() {
        let keys = Set((0..<100).map { _ in HandshakeKey.random() })
        #expect(keys.count == 100)
        #expect(keys.allSatisfy(HandshakeKey.isValid))
        for bad in ["", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25j!Q=="] {
            #expect(!HandshakeKey.isValid(bad))
        }
    }

    // MARK: Frames

    @Test(arguments: [0, 1, 125, 126, 127, 0xFFFF, 0x10000, 0x7FFF_FFFF_FFFF_FFFF] as [UInt64])
    func headersSurviveTheWire(length: UInt64) {
        for mask in [nil, MaskingKey(bytes: [1, 2, 3, 4])] {
            let header = FrameHeader(
                .binary, payloadLength: length, isFinal: false, isCompressed: true, reserved: 2, mask: mask)
            var bytes: [UInt8] = []
            header.encode(into: &bytes)
            let decoded = bytes.withUnsafeBytes { FrameHeader.decode($0) }
            #expect(decoded == .header(header, byteCount: bytes.count))
            for count in 0..<bytes.count {
                let start = bytes[..<count].withUnsafeBytes { FrameHeader.decode($0) }
                #expect(start == .incomplete)
            }
        }
    }

    @Test(
        arguments: [
            [0x09, 0x00],  // a fragmented Ping
            [0x89, 0x7E, 0x00, 0x80],  // a Ping of 128 bytes
            [0x82, 0x7E, 0x00, 0x7D],  // 125 in three bytes
            [0x82, 0x7F, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF],  // 65,535 in nine
            [0x82, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0],  // the top bit
        ] as [[UInt8]])
    func headersNoPeerMaySendAreRefused(bytes: [UInt8]) {
        let decoded = bytes.withUnsafeBytes { FrameHeader.decode($0) }
        guard case .malformed = decoded else {
            Issue.record("\(bytes) gave \(decoded)")
            return
        }
    }

    @Test func maskingMatchesTheRFCAndUndoesItself() {
        // RFC 6455 section 5.7: a masked "Hello".
        let key = MaskingKey(bytes: [0x37, 0xFA, 0x21, 0x3D])
        var bytes = Array("Hello".utf8)
        bytes.withUnsafeMutableBytes { key.apply(to: $0) }
        #expect(bytes == [0x7F, 0x9F, 0x4D, 0x51, 0x58])
        bytes.withUnsafeMutableBytes { key.apply(to: $0) }
        #expect(bytes == Array("Hello".utf8))
    }

    @Test func maskingInPartsIsMaskingTheWhole() {
        let key = MaskingKey(bytes: [1, 20, 133, 244])
        let payload = (0..<61).map { UInt8($0 * 3 & 0xFF) }
        var whole = payload
        whole.withUnsafeMutableBytes { key.apply(to: $0) }
        #expect(whole == payload.enumerated().map { $1 ^ [1, 20, 133, 244][$0 % 4] })
        for cut in 0...payload.count {
            var parts = payload
            parts.withUnsafeMutableBytes { bytes in
                key.apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes[..<cut]))
                key.apply(to: UnsafeMutableRawBufferPointer(rebasing: bytes[cut...]), offset: cut)
            }
            #expect(parts == whole, "cut at \(cut)")
        }
    }

    @Test func closePayloadsSurviveTheWire() throws {
        for payload in [
            ClosePayload(), ClosePayload(code: 1000), ClosePayload(code: 1013, reason: "später"),
            ClosePayload(code: 4999, reason: String(repeating: "x", count: 123)),
        ] {
            #expect(try ClosePayload.decode(payload.encode()) == payload)
        }
        #expect(ClosePayload(reason: "no code, no reason").encode().isEmpty)
    }

    @Test func aLongReasonIsCutAtACharacter() throws {
        let bytes = ClosePayload(code: 1000, reason: String(repeating: "ö", count: 100)).encode()
        #expect(bytes.count == 124)
        #expect(try ClosePayload.decode(bytes).reason == String(repeating: "ö", count: 61))
    }

    @Test func malformedClosePayloadsAreToldApart() {
        #expect(throws: ClosePayload.Malformed.halfCode) { try ClosePayload.decode([3]) }
        #expect(throws: ClosePayload.Malformed.reasonNotUTF8) { try ClosePayload.decode([3, 0xE8, 0xFF]) }
        #expect(throws: ClosePayload.Malformed.reasonNotUTF8) { try ClosePayload.decode([3, 0xE8, 0xC3]) }
    }

    // MARK: UTF-8

    @Test func scalarsOfEveryLengthAreAccepted() {
        var validator = UTF8Validator()
        // The bounds of every length and gap, and a walk through the rest.
        let bounds: [UInt32] = [0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x1_0000, 0x10_FFFF]
        for value in bounds + Array(stride(from: 0, through: 0x10_FFFF, by: 61)) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let bytes = Array(String(scalar).utf8)
            guard bytes.withUnsafeBytes({ validator.consume($0) }), validator.isAtBoundary else {
                Issue.record("U+\(String(value, radix: 16)) was refused")
                return
            }
        }
    }

    @Test func sequencesAreJudgedAsTheStandardLibraryDoes() {
        // Every lead byte with bytes from both ends of each class.
        let classes: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xFF]
        for first in UInt8.min ... .max {
            for second in classes {
                for third in classes {
                    let bytes = [first, second, third]
                    var validator = UTF8Validator()
                    let isValid = bytes.withUnsafeBytes { validator.consume($0) } && validator.isAtBoundary
                    guard isValid == (String(validating: bytes, as: UTF8.self) != nil) else {
                        Issue.record("\(bytes) judged \(isValid)")
                        return
                    }
                }
            }
        }
    }

    @Test func textMayBeCutAnywhereAndBadTextIsRefusedAtOnce() {
        let text = Array("κόσμε, 𝄞 and eight or more ASCII bytes, 日本".utf8)
        for cut in 0...text.count {
            var validator = UTF8Validator()
            #expect(text[..<cut].withUnsafeBytes { validator.consume($0) })
            #expect(text[cut...].withUnsafeBytes { validator.consume($0) })
            #expect(validator.isAtBoundary)
        }
        // A surrogate is refused at its second byte, U+110000 at its second, an overlong NUL at its first.
        for (bytes, bad) in [([0xED, 0xA0, 0x80], 1), ([0xF4, 0x90, 0x80], 1), ([0xC0, 0x80], 0)] as [([UInt8], Int)] {
            var validator = UTF8Validator()
            #expect(bytes[..<bad].withUnsafeBytes { validator.consume($0) })
            #expect(![bytes[bad]].withUnsafeBytes { validator.consume($0) })
        }
    }

    // MARK: HTTP heads

    @Test func headsAreFoundHoweverTheyArrive() {
        for head in ["HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "HTTP/1.1 200 OK\nA: b\n\n", "X\r\n\r\n"] {
            let bytes = Array((head + "rest").utf8)
            #expect(HTTPHead.end(in: bytes) == head.utf8.count)
            for count in 0..<head.utf8.count {
                #expect(HTTPHead.end(in: Array(bytes[..<count])) == nil)
                #expect(HTTPHead.end(in: bytes, from: count - 3) == head.utf8.count, "after \(count)")
            }
        }
    }

    @Test func fieldsAreReadAsHTTPHasThem() throws {
        let text =
            "GET / HTTP/1.1\r\nHost:  a.example \r\nX-List: one\r\nx-list:two, Three\r\nFolded: a\r\n\t b\r\nE:\r\n\r\n"
        let head = try HTTPHead.parse(text.utf8)
        #expect(head.startLine == "GET / HTTP/1.1")
        #expect(head["host"] == "a.example")
        #expect(head["x-list"] == "one, two, Three")
        #expect(head.count(of: "x-list") == 2)
        #expect(head.list("x-list", contains: "three"))
        #expect(!head.list("x-list", contains: "tw"))
        #expect(head["folded"] == "a b")
        #expect(head["e"] == "")
        #expect(head["absent"] == nil)
    }

    @Test(arguments: [
        "\r\n\r\n", "HTTP/1.1 101\r\nno colon\r\n\r\n", "HTTP/1.1 101\r\n: no name\r\n\r\n",
        "HTTP/1.1 101\r\nna me: x\r\n\r\n", "HTTP/1.1 101\r\n folded: first\r\n\r\n",
        "HTTP/1.1 101\r\na: \u{0}\r\n\r\n",
        "HTTP/1.1 101\r\nspace : x\r\n\r\n",
    ])
    func headsThatAreNotHTTPAreRefused(text: String) {
        #expect(throws: HTTPHead.Malformed.self) { try HTTPHead.parse(text.utf8) }
    }
}
