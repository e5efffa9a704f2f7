/// One line of input, or why it is none that can be sent.
struct InputLine: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case text(String)
        /// The byte at this offset, counted from 0, cannot stand there in UTF-8.
        case invalidUTF8(offset: Int)
        /// The line has this many bytes, more than the limit; it was read and not kept.
        case tooLong(bytes: Int)
        /// The input itself failed, for this reason; nothing follows.
        case unreadable(String)
    }

    /// Counted from 1.
    let number: Int
    let content: Content
}

/// Cuts bytes into lines at LF, whatever the pieces they come in. Holds no more than one line within the limit.
struct LineSplitter {
    /// The longest line, in bytes without its LF.
    let limit: Int
    private var kept: [UInt8] = []
    /// The bytes of the unfinished line so far, kept or not.
    private var length = 0
    private var finished = 0

    init(limit: Int) { self.limit = limit }

    /// The lines that these bytes complete.
    mutating func take(_ bytes: some Collection<UInt8>) -> [InputLine] {
        var lines: [InputLine] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            keep(rest[..<end])
            lines.append(finishLine())
            rest = rest[rest.index(after: end)...]
        }
        keep(rest)
        return lines
    }

    /// The last line, if it did not end with LF.
    mutating func finish() -> InputLine? { length == 0 ? nil : finishLine() }

    /// What is said when the input fails: the next line is the one that could not be read.
    func failed(_ reason: String) -> InputLine { InputLine(number: finished + 1, content: .unreadable(reason)) }

    private mutating func keep(_ bytes: some Collection<UInt8>) {
        length += bytes.count
        if length <= limit { kept += bytes } else { kept = [] }
    }

    private mutating func finishLine() -> InputLine {
        defer {
            kept = []
            length = 0
        }
        finished += 1
        guard length <= limit else { return InputLine(number: finished, content: .tooLong(bytes: length)) }
        let text = String(decoding: kept, as: UTF8.self)
        // Decoding repairs what is invalid, so the bytes differ from where the first fault is.
        guard text.utf8.elementsEqual(kept) else {
            let same = zip(text.utf8, kept).prefix { $0 == $1 }.count
            return InputLine(number: finished, content: .invalidUTF8(offset: same))
        }
        return InputLine(number: finished, content: .text(text))
    }
}
