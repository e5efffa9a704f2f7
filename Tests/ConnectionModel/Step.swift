import ConnectionCore

/// One step of a script: time goes by, or something happens.
///
/// A script is a list of steps in text, one per line or separated by semicolons, as failures print it:
/// `ask a; wake; opened; wait 30.5; ended 503/60 older; wake late 3`.
package enum Step: Hashable, Sendable {
    /// Time goes by; the machine is not told. In nanoseconds.
    case wait(Int64)
    /// The wake-up for the next deadline comes, this many nanoseconds after it (before it if negative).
    case wake(late: Int64)
    /// Something happens now.
    case event(Symbol)
}

extension Symbol {
    /// Every symbol with its name in scripts.
    package static let all: [(name: String, symbol: Symbol)] = {
        var all: [(String, Symbol)] = Place.allCases.map { ("ask \($0.rawValue)", .ask($0)) }
        all += LocalCloseCause.allCases.map { ("disconnect \($0)", .disconnect($0)) }
        for age in Age.allCases {
            let suffix = age == .current ? "" : " older"
            all += [
                ("opened" + suffix, .opened(age)), ("message" + suffix, .message(age)),
                ("frame" + suffix, .frame(age)), ("paused" + suffix, .paused(age)),
                ("resumed" + suffix, .resumed(age)),
            ]
            all += Ending.allCases.map { ("ended \($0.rawValue)" + suffix, .ended(age, $0)) }
        }
        all += Route.allCases.map { ("path \($0.rawValue)", .path($0)) }
        all += [
            ("background", .background), ("foreground", .foreground), ("expired", .backgroundTimeExpired),
            ("tick", .timeReached),
        ]
        return all
    }()

    private static let named = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.symbol) })
    private static let names = Dictionary(uniqueKeysWithValues: all.map { ($0.symbol, $0.name) })

    package init?(name: String) {
        guard let symbol = Self.named[name] else { return nil }
        self = symbol
    }
}

extension Symbol: CustomStringConvertible {
    package var description: String { Self.names[self] ?? "?" }
}

extension Step: CustomStringConvertible {
    package var description: String {
        switch self {
        case .wait(let time): "wait \(Self.seconds(time))"
        case .wake(0): "wake"
        case .wake(let late): "wake late \(Self.seconds(late))"
        case .event(let symbol): symbol.description
        }
    }

    /// Exact, so that a script replays what it printed.
    private static func seconds(_ time: Int64) -> String {
        let (whole, rest) = time.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        var digits = String(rest + 1_000_000_000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(time < 0 ? "-" : "")\(whole)\(digits.isEmpty ? "" : ".\(digits)")"
    }

    private static func nanoseconds(_ text: Substring) -> Int64? {
        let unsigned = text.hasPrefix("-") ? text.dropFirst() : text
        let parts = unsigned.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = Int64(parts[0]), whole >= 0, whole < 1_000_000_000 else {
            return nil
        }
        var fraction: Int64 = 0
        if parts.count == 2 {
            guard parts[1].count <= 9, let digits = UInt32(parts[1]) else { return nil }
            fraction = Int64(digits)
            for _ in parts[1].count..<9 { fraction *= 10 }
        }
        let value = whole * 1_000_000_000 + fraction
        return text.hasPrefix("-") ? -value : value
    }

    /// Reads one step; nil if it is none.
    package init?(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        if words.count == 2, words[0] == "wait", let time = Self.nanoseconds(words[1]), time >= 0 {
            self = .wait(time)
        } else if words == ["wake"] {
            self = .wake(late: 0)
        } else if words.count == 3, words[0] == "wake", words[1] == "late", let late = Self.nanoseconds(words[2]) {
            self = .wake(late: late)
        } else if let symbol = Symbol(name: words.joined(separator: " ")) {
            self = .event(symbol)
        } else {
            return nil
        }
    }

    /// Reads a whole script.
    package static func script(_ text: String) throws(ScriptError) -> [Step] {
        var steps: [Step] = []
        for part in text.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
            let words = part.split(whereSeparator: \.isWhitespace)
            guard !words.isEmpty else { continue }
            guard let step = Step(words.joined(separator: " ")) else {
                throw ScriptError(description: "not a step: \(words.joined(separator: " "))")
            }
            steps.append(step)
        }
        return steps
    }

    /// The steps as text that `script(_:)` reads.
    package static func text(_ steps: [Step]) -> String { steps.map(\.description).joined(separator: "; ") }
}

/// A script that cannot be read.
package struct ScriptError: Error, CustomStringConvertible {
    package var description: String
}
