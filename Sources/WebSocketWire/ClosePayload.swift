/// What a Close frame carries: nothing, or a code and a text (RFC 6455 section 5.5.1).
package struct ClosePayload: Equatable, Sendable {
    /// The status code; nil when the frame was empty, which an API reports as 1005.
    package var code: UInt16?
    /// The text behind the code; empty without one.
    package var reason: String

    package init(code: UInt16? = nil, reason: String = "") {
        self.code = code
        self.reason = reason
    }

    /// The largest reason, in UTF-8 bytes, that fits behind the code.
    package static let maximumReasonBytes = FrameHeader.maximumControlPayload - 2

    /// The payload. A reason that does not fit is cut at a character; a reason without a code is dropped.
    package func encode() -> [UInt8] {
        guard let code else { return [] }
        var bytes = [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]
        for character in reason {
            let more = character.utf8
            guard bytes.count + more.count <= FrameHeader.maximumControlPayload else { break }
            bytes.append(contentsOf: more)
        }
        return bytes
    }

    /// Why a payload cannot be a Close frame's. Each fails the connection with the code it names.
    package enum Malformed: Error, Equatable, Sendable {
        /// One byte, half a code: 1002.
        case halfCode
        /// A reason that is not UTF-8: 1007 (section 8.1).
        case reasonNotUTF8
    }

    /// Reads a payload. Whether an endpoint may send the code is for the caller to judge.
    package static func decode(_ bytes: some Collection<UInt8>) throws(Malformed) -> ClosePayload {
        if bytes.isEmpty { return ClosePayload() }
        guard bytes.count >= 2 else { throw .halfCode }
        let code = bytes.prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
        let reason = Array(bytes.dropFirst(2))
        var validator = UTF8Validator()
        guard reason.withUnsafeBytes({ validator.consume($0) }), validator.isAtBoundary else { throw .reasonNotUTF8 }
        return ClosePayload(code: code, reason: String(decoding: reason, as: UTF8.self))
    }
}
