/// JSON with the members in the order they were given, so that the same figures give the same bytes.
enum JSONText {
    enum Value {
        case whole(Int)
        /// With at most this many decimals; null for nil and for what is no number.
        case number(Double?, decimals: Int = 3)
        case text(String)
        case object([(String, Value)])
        case array([Value])
    }

    static func write(_ value: Value) -> String {
        switch value {
        case .whole(let number): String(number)
        case .number(let number, let decimals): number.flatMap { decimal($0, decimals) } ?? "null"
        case .text(let text): quote(text)
        case .object(let members):
            "{" + members.map { quote($0.0) + ":" + write($0.1) }.joined(separator: ",") + "}"
        case .array(let values): "[" + values.map(write).joined(separator: ",") + "]"
        }
    }

    /// A number in plain decimal form without useless zeros; nil for what is no number.
    static func decimal(_ number: Double, _ decimals: Int) -> String? {
        guard number.isFinite, abs(number) < 1e15 else { return nil }
        var scale = 1
        for _ in 0..<decimals { scale *= 10 }
        let scaled = Int((abs(number) * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        var digits = String(repeating: "0", count: decimals - min(decimals, fraction.count)) + fraction
        while digits.hasSuffix("0") { digits.removeLast() }
        let whole = String(scaled / scale)
        let sign = number < 0 && scaled != 0 ? "-" : ""
        return sign + whole + (digits.isEmpty ? "" : "." + digits)
    }

    private static func quote(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
