#if os(Linux)
import WebSocketWire

/// What the opening handshake agreed on for permessage-deflate (RFC 7692 section 7.1).
struct DeflateParameters: Equatable {
    /// The offer. Whether the server keeps its context is left to it; this side never keeps its own, so that a
    /// compressor serves all sockets.
    static let offer = "permessage-deflate; client_max_window_bits"

    /// The largest window this side may compress with, as a power of two.
    var clientWindowBits: Int32 = 15
    /// The largest window the server compresses with.
    var serverWindowBits: Int32 = 15
    /// Whether a message of the server may refer back to earlier ones.
    var serverKeepsContext = true

    init() {}

    /// Reads the server's answer to the offer.
    init(answer: String) throws(HTTPHead.Malformed) {
        let extensions = answer.split(separator: ",").map(trimmed)
        guard extensions.count == 1 else {
            throw HTTPHead.Malformed(message: "the server chose more than one extension")
        }
        var parts = extensions[0].split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
        guard parts.removeFirst() == "permessage-deflate" else {
            throw HTTPHead.Malformed(message: "the server chose an extension that was not offered")
        }
        var seen: Set<String> = []
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
            guard seen.insert(pair[0]).inserted else {
                throw HTTPHead.Malformed(message: "a parameter of permessage-deflate stands twice")
            }
            try take(pair[0], pair.count > 1 ? pair[1] : nil)
        }
    }

    private mutating func take(_ name: String, _ value: String?) throws(HTTPHead.Malformed) {
        switch (name, value) {
        case ("server_no_context_takeover", nil): serverKeepsContext = false
        case ("client_no_context_takeover", nil): break
        case ("server_max_window_bits", let value?): serverWindowBits = try Self.windowBits(value)
        case ("client_max_window_bits", let value?): clientWindowBits = try Self.windowBits(value)
        default:
            throw HTTPHead.Malformed(message: "a parameter of permessage-deflate is unknown or has a wrong form")
        }
    }

    /// 8 to 15 without leading zeros; the value may be quoted (section 5.2).
    private static func windowBits(_ value: String) throws(HTTPHead.Malformed) -> Int32 {
        let isQuoted = value.count >= 2 && value.first == "\"" && value.last == "\""
        let digits = isQuoted ? value.dropFirst().dropLast() : value[...]
        for bits: Int32 in 8...15 where digits == String(bits) { return bits }
        throw HTTPHead.Malformed(message: "a window size of permessage-deflate is not between 8 and 15")
    }
}
#endif
