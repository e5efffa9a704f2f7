/// The head of an HTTP/1.1 request or response (RFC 9112): the start line and the fields, without a body.
package struct HTTPHead: Equatable, Sendable {
    /// The request line or status line, as received.
    package var startLine: String
    /// The fields in order; names in lower case, values without surrounding white space.
    package var fields: [(name: String, value: String)]

    package static func == (left: HTTPHead, right: HTTPHead) -> Bool {
        left.startLine == right.startLine && left.fields.elementsEqual(right.fields, by: ==)
    }

    /// The value of a field, given in lower case; the values of a repeated one joined by a comma, as RFC 9110
    /// section 5.3 has it. Nil if absent.
    package subscript(name: String) -> String? {
        let values = fields.lazy.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// How often a field stands.
    package func count(of name: String) -> Int { fields.count { $0.name == name } }

    /// Whether the comma-separated list in a field holds `token`, case ignored; for `Connection` and `Upgrade`.
    package func list(_ name: String, contains token: String) -> Bool {
        (self[name] ?? "").split(separator: ",").contains { trimmed($0).lowercased() == token }
    }
}

extension HTTPHead {
    /// Why bytes are not the head of an HTTP message.
    package struct Malformed: Error, Equatable, Sendable {
        /// What is wrong; holds nothing of the bytes themselves.
        package var message: String

        package init(message: String) { self.message = message }
    }

    /// Where the head ends: the index behind the empty line that closes it, nil if that line has not arrived.
    ///
    /// - Parameter start: where to begin looking; the count of the bytes already looked at, less three.
    package static func end(in bytes: [UInt8], from start: Int = 0) -> Int? {
        var index = max(0, start)
        while index < bytes.count {
            guard let newline = bytes[index...].firstIndex(of: 0x0A) else { return nil }
            // A bare LF ends a line too (RFC 9112 section 2.2).
            let line = newline + 1
            if line < bytes.count, bytes[line] == 0x0A { return line + 1 }
            if line + 1 < bytes.count, bytes[line] == 0x0D, bytes[line + 1] == 0x0A { return line + 2 }
            index = line
        }
        return nil
    }

    /// Reads a whole head, up to and with its empty line.
    ///
    /// A folded line (obsolete, RFC 9112 section 5.2) goes on the field before it, with a space between.
    package static func parse(_ bytes: some Sequence<UInt8>) throws(Malformed) -> HTTPHead {
        var lines = Array(bytes).split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        guard let first = lines.first, !first.isEmpty else { throw Malformed(message: "the head is empty") }
        var head = HTTPHead(startLine: try text(first), fields: [])
        for line in lines.dropFirst() {
            if line.first == 0x20 || line.first == 0x09 {
                guard !head.fields.isEmpty else { throw Malformed(message: "the first field line is a continuation") }
                head.fields[head.fields.count - 1].value += " " + trimmed(try text(line)[...])
                continue
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw Malformed(message: "a field line has no colon")
            }
            let name = line[..<colon]
            guard !name.isEmpty, name.allSatisfy(isTokenByte) else {
                throw Malformed(message: "a field name is not a token")
            }
            head.fields.append(
                (String(decoding: name, as: UTF8.self).lowercased(), trimmed(try text(line[(colon + 1)...])[...])))
        }
        return head
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> String {
        guard bytes.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else {
            throw Malformed(message: "a line holds a control character")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Whether a byte may stand in a token (RFC 9110 section 5.6.2).
package func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// The text without spaces and tabs at its ends.
package func trimmed(_ text: Substring) -> String {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    var bytes = text.utf8.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return String(Substring(bytes))
}
