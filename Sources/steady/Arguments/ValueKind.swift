/// What the value of an option or positional may be, and how it becomes a typed one.
struct ValueKind<Value: Sendable>: Sendable {
    /// Turns text into a value, or says what is expected instead: "a whole number from 0 to 65535".
    let parse: @Sendable (String) -> Parsed
    /// What is expected, for `--help`; empty if any text will do.
    let expectation: String

    enum Parsed {
        case value(Value)
        case expected(String)
    }

    /// `parse` returns nil for text that is not one of these values.
    init(_ expectation: String, _ parse: @escaping @Sendable (String) -> Value?) {
        self.expectation = expectation
        self.parse = { text in parse(text).map(Parsed.value) ?? .expected(expectation) }
    }
}

extension ValueKind where Value == String {
    /// Any text, the empty one too.
    static var text: Self { ValueKind("") { $0 } }

    /// Text of at least one byte.
    static var nonEmptyText: Self { ValueKind("text that is not empty") { $0.isEmpty ? nil : $0 } }
}

extension ValueKind where Value == Int {
    /// A whole decimal number within `range`.
    static func integer(_ range: ClosedRange<Int>) -> Self {
        ValueKind("a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ValueKind where Value == Double {
    /// A decimal number within `range`; "nan" and "inf" are none.
    static func number(_ range: ClosedRange<Double>) -> Self {
        ValueKind("a number from \(plain(range.lowerBound)) to \(plain(range.upperBound))") { text in
            decimal(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ValueKind where Value == Duration {
    /// A time within `range` seconds: plain seconds, or a number with `ms`, `s`, `m` or `h`.
    static func time(_ range: ClosedRange<Double>) -> Self {
        let expectation =
            "a time from \(plain(range.lowerBound)) to \(plain(range.upperBound)) s, such as 10, 1.5s, 250ms or 2m"
        return ValueKind(expectation) { text in
            let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
            let unit = units.first { text.hasSuffix($0.suffix) }
            let number = text.dropLast(unit?.suffix.utf8.count ?? 0)
            guard let amount = decimal(number) else { return nil }
            let seconds = amount * (unit?.seconds ?? 1)
            return range.contains(seconds) ? .seconds(seconds) : nil
        }
    }
}

extension ValueKind where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One word out of the cases of an enum.
    static var choice: Self {
        ValueKind("one of: " + Value.allCases.map(\.rawValue).joined(separator: ", "), Value.init(rawValue:))
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
