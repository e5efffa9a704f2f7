internal import ConnectionCore

/// Something that happens to a world at a time.
///
/// A list of them is a script in text, `0 ask a; 1.5 server silent; 20 background; 21 sleep 60`, as failures print it.
package struct Happening: Hashable, Sendable {
    /// Nanoseconds since the world began.
    package var at: Int64
    package var what: What

    package enum What: Hashable, Sendable {
        // The app.
        case ask(Place)
        /// nil is the plain disconnect.
        case disconnect(UInt16?)
        case shutDown
        /// A message is to be sent; nil does not wait for an open socket.
        case send(waits: Int64?)
        /// Whether the app reads what arrives.
        case reader(on: Bool)

        // The system around it.
        case background
        case foreground
        /// The background time is over.
        case expire
        case path(Route)
        /// The process does not run for this long; what happens meanwhile reaches it at the end, in any order.
        case sleep(Int64)
        /// The clock moves on at once; nobody is told.
        case jump(Int64)
        /// The wake-up comes too early.
        case tick

        // The server.
        case server(Server)
        /// The server closes the open socket with this code.
        case close(UInt16)
        /// The connection breaks without a Close frame.
        case drop
        /// No packet of the socket arrives any more, in either direction.
        case mute
        /// What the connection sends does not arrive any more.
        case deaf
        case message
        case serverPing

        // Facts of an attempt that is over.
        case late(LateFact)
    }

    /// The channels there are: two of one origin, one of another, one that needs no network.
    package enum Place: String, CaseIterable, Sendable {
        case a, b, far, near
    }

    package enum Route: String, CaseIterable, Sendable {
        case offline, wifi, cellular
    }

    /// What the server does with upgrade requests.
    package enum Server: Hashable, Sendable {
        case up
        /// Nobody listens.
        case down
        /// Nobody answers.
        case silent
        /// Refuses with this status; `Retry-After` in seconds, 0 for none.
        case refuses(status: Int, retryAfter: Int)
        /// Accepts, says hello, and closes with this code after so many nanoseconds.
        case crashes(UInt16, after: Int64)
    }

    package enum LateFact: String, CaseIterable, Sendable {
        case opened, message, pong, closed, refused
    }
}

extension Happening {
    /// Time in seconds, exact.
    package static func seconds(_ time: Int64) -> String {
        let (whole, rest) = time.quotientAndRemainder(dividingBy: second)
        guard rest != 0 else { return String(whole) }
        var digits = String(rest + second).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }

    static let second: Int64 = 1_000_000_000

    /// Longer is no use, and what a list takes grows with its square.
    private static let mostSeconds: UInt64 = 30 * 86_400
    private static let mostEntries = 2000

    private static func number(_ text: Substring) -> UInt64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt64(text) : nil
    }

    private static func nanoseconds(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = number(parts[0]), whole <= mostSeconds else { return nil }
        guard parts.count == 2 else { return Int64(whole) * second }
        guard (1...9).contains(parts[1].count), let digits = number(parts[1]) else { return nil }
        return Int64(whole) * second + (parts[1].count..<9).reduce(Int64(digits)) { value, _ in value * 10 }
    }
}

extension Happening: CustomStringConvertible {
    package var description: String { "\(Self.seconds(at)) \(what)" }

    /// The script as text that `script(_:)` reads.
    package static func text(_ script: [Happening]) -> String {
        script.map(\.description).joined(separator: "; ")
    }

    /// Reads a script.
    package static func script(_ text: String) throws(ScriptError) -> [Happening] {
        var script: [Happening] = []
        for part in text.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
            let words = part.split(whereSeparator: \.isWhitespace)
            guard let first = words.first else { continue }
            guard let at = nanoseconds(first) else {
                throw ScriptError(
                    "'\(words.joined(separator: " "))' does not begin with a time from 0 to \(mostSeconds) seconds")
            }
            guard let what = What(words.dropFirst()) else {
                throw ScriptError("'\(words.dropFirst().joined(separator: " "))' is nothing that can happen")
            }
            guard at >= script.last?.at ?? 0 else {
                throw ScriptError("'\(words.joined(separator: " "))' lies before what stands before it")
            }
            script.append(Happening(at: at, what: what))
        }
        guard script.count <= mostEntries else {
            throw ScriptError("the script has \(script.count) entries; \(mostEntries) are the most")
        }
        return script
    }

    /// A script that cannot be read.
    package struct ScriptError: Error, Equatable, CustomStringConvertible {
        package let description: String
        init(_ description: String) { self.description = description }
    }
}

extension Happening.What: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ask(let place): "ask \(place.rawValue)"
        case .disconnect(nil): "disconnect"
        case .disconnect(let code?): "disconnect \(code)"
        case .shutDown: "shutdown"
        case .send(nil): "send"
        case .send(let waits?): "send \(Happening.seconds(waits))"
        case .reader(let on): on ? "read" : "unread"
        case .background: "background"
        case .foreground: "foreground"
        case .expire: "expire"
        case .path(let route): "path \(route.rawValue)"
        case .sleep(let time): "sleep \(Happening.seconds(time))"
        case .jump(let time): "jump \(Happening.seconds(time))"
        case .tick: "tick"
        case .server(.up): "server up"
        case .server(.down): "server down"
        case .server(.silent): "server silent"
        case .server(.refuses(let status, let retryAfter)): "server refuses \(status) \(retryAfter)"
        case .server(.crashes(let code, let after)): "server crashes \(code) \(Happening.seconds(after))"
        case .close(let code): "close \(code)"
        case .drop: "drop"
        case .mute: "mute"
        case .deaf: "deaf"
        case .message: "message"
        case .serverPing: "ping"
        case .late(let fact): "late \(fact.rawValue)"
        }
    }

    /// Its first word, and the second where that tells more.
    var kind: String {
        switch self {
        case .path, .late: description
        case .server(.refuses(let status, _)): "server refuses \(status)"
        case .server(.crashes(let code, _)): "server crashes \(code)"
        case .server: description
        case .ask, .disconnect, .shutDown, .send, .reader, .background, .foreground, .expire, .sleep, .jump, .tick,
            .close, .drop, .mute, .deaf, .message, .serverPing:
            String(description.prefix { $0 != " " })
        }
    }

    private static let plain: [String: Self] = Dictionary(
        uniqueKeysWithValues: ([
            .disconnect(nil), .shutDown, .send(waits: nil), .reader(on: true), .reader(on: false), .background,
            .foreground,
            .expire, .tick, .server(.up), .server(.down), .server(.silent), .drop, .mute, .deaf, .message, .serverPing,
        ] + Happening.Place.allCases.map { .ask($0) } + Happening.Route.allCases.map { .path($0) }
            + Happening.LateFact.allCases.map { .late($0) }).map { (what: Self) in (what.description, what) })

    init?(_ words: ArraySlice<Substring>) {
        if let plain = Self.plain[words.joined(separator: " ")] {
            self = plain
            return
        }
        let words = Array(words)
        func time(_ index: Int) -> Int64? { Happening.nanoseconds(words[index]) }
        func code(_ index: Int) -> UInt16? {
            guard let code = Happening.number(words[index]).map(UInt16.init(clamping:)) else { return nil }
            return CloseCode(rawValue: code).mayBeSent ? code : nil
        }
        switch (words.first, words.count) {
        case ("disconnect", 2):
            guard let code = code(1) else { return nil }
            self = .disconnect(code)
        case ("send", 2):
            guard let waits = time(1) else { return nil }
            self = .send(waits: waits)
        case ("sleep", 2):
            guard let length = time(1) else { return nil }
            self = .sleep(length)
        case ("jump", 2):
            guard let length = time(1) else { return nil }
            self = .jump(length)
        case ("close", 2):
            guard let code = code(1) else { return nil }
            self = .close(code)
        case ("server", 4):
            if words[1] == "refuses", let status = Happening.number(words[2]), (300...599).contains(status),
                let wait = Happening.number(words[3]), wait <= 86_400
            {
                self = .server(.refuses(status: Int(status), retryAfter: Int(wait)))
            } else if words[1] == "crashes", let code = code(2), let after = time(3) {
                self = .server(.crashes(code, after: after))
            } else {
                return nil
            }
        default: return nil
        }
    }
}
