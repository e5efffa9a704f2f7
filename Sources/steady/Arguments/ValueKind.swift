/// What the value of an option or positional may be, and how it becomes a typed one.
struct ValueKind<Value: Sendable>: Sendable {
    /// What is expected, as an error says it: "a whole number from 0 to 65535".
    let expectation: String
    /// The same in short, for the help; empty if any text will do.
    let hint: String
    /// Whether errors keep the value to themselves, because it may hold a secret.
    private(set) var isSecret = false
    /// The typed value; nil for text that is not one.
    let parse: @Sendable (String) -> Value?

    init(_ expectation: String, hint: String = "", _ parse: @escaping @Sendable (String) -> Value?) {
        self.expectation = expectation
        self.hint = hint
        self.parse = parse
    }

    /// The same kind, for values that may hold a secret: no error repeats them.
    var secret: Self {
        var copy = self
        copy.isSecret = true
        return copy
    }
}

extension ValueKind where Value == String {
    /// Any text, the empty one too.
    static var text: Self { ValueKind("text") { $0 } }

    /// Text of at least one byte.
    static var nonEmptyText: Self { ValueKind("text that is not empty") { $0.isEmpty ? nil : $0 } }
}

extension ValueKind where Value == Int {
    /// A whole decimal number within `range`.
    static func integer(_ range: ClosedRange<Int>) -> Self {
        let (low, high) = (range.lowerBound, range.upperBound)
        return ValueKind("a whole number from \(low) to \(high)", hint: "\(low) to \(high)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ValueKind where Value == Double {
    /// A decimal number within `range`; "nan" and "inf" are none.
    static func number(_ range: ClosedRange<Double>) -> Self {
        let (low, high) = (plain(range.lowerBound), plain(range.upperBound))
        return ValueKind("a number from \(low) to \(high)", hint: "\(low) to \(high)") { text in
            decimal(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ValueKind where Value == Duration {
    /// A time within `range` seconds: plain seconds, or a number with `ms`, `s`, `m` or `h`.
    static func time(_ range: ClosedRange<Double>) -> Self {
        let (low, high) = (plain(range.lowerBound), plain(range.upperBound))
        let expectation = "a time from \(low) to \(high) s, such as 10, 1.5s, 250ms or 2m"
        return ValueKind(expectation, hint: "time: 10, 1.5s, 250ms, 2m") { text in
            let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
            let unit = units.first { text.hasSuffix($0.suffix) }
            guard let amount = decimal(text.dropLast(unit?.suffix.count ?? 0)) else { return nil }
            let seconds = amount * (unit?.seconds ?? 1)
            return range.contains(seconds) ? .seconds(seconds) : nil
        }
    }
}

extension ValueKind where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One word out of the cases of an enum.
    static var choice: Self {
        let words = Value.allCases.map(\.rawValue)
        return ValueKind(
            "one of: \(words.joined(separator: ", "))", hint: words.joined(separator: " or "), Value.init(rawValue:))
    }
}

/// Digits with at most one dot and a sign, so that "nan", "inf", "0x1p3" and "1e9" stay out.
private func decimal(_ text: some StringProtocol) -> Double? {
    guard !text.isEmpty, text.utf8.allSatisfy({ "0123456789.-+".utf8.contains($0) }) else { return nil }
    return Double(text)
}

private func plain(_ number: Double) -> String {
    number == number.rounded() ? String(Int(number)) : String(number)
}
