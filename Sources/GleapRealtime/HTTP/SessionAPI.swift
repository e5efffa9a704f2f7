#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import SteadySocket

/// How the service is asked and its answers are read. Pure.
struct SessionAPI: Sendable {
    let configuration: GleapConfiguration

    /// The largest body that is read.
    static let maximumBody = 4 << 20

    // MARK: Asking

    func start(_ stored: GleapSession?) throws(GleapError) -> HTTPRequest { try request("sessions", device, stored) }

    func identify(_ fields: [String: JSONValue], _ session: GleapSession) throws(GleapError) -> HTTPRequest {
        try request("sessions/identify", fields.merging(device) { field, _ in field }, session)
    }

    func update(_ fields: [String: JSONValue], _ session: GleapSession) throws(GleapError) -> HTTPRequest {
        let body: [String: JSONValue] = [
            "data": .object(fields.merging(device) { field, _ in field }), "ws": true,
            "type": .string(configuration.platform.lowercased()), "sdkVersion": .string(configuration.sdkVersion),
        ]
        return try request("sessions/partialupdate", body, session)
    }

    private var device: [String: JSONValue] {
        [
            "lang": .string(configuration.language), "platform": .string(configuration.platform),
            "deviceType": .string(configuration.deviceType),
        ]
    }

    private func request(
        _ path: String, _ body: [String: JSONValue], _ session: GleapSession?
    ) throws(GleapError) -> HTTPRequest {
        var headers = ["Content-Type": "application/json", "Api-Token": configuration.apiKey]
        headers["Gleap-Id"] = session?.gleapID
        headers["Gleap-Hash"] = session?.gleapHash
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let data = try? encoder.encode(JSONValue.object(body)) else {
            throw GleapError(.invalidUser, "the data cannot be written as JSON")
        }
        return HTTPRequest(
            url: configuration.apiURL.appendingPathComponent(path), headers: headers, body: data,
            timeout: max(configuration.requestTimeout, .milliseconds(1)))
    }

    // MARK: Reading answers

    /// The session an answer stands for.
    ///
    /// - Parameter session: what credentials it may leave out; nil if it has to bring them.
    func session(in answer: HTTPAnswer, keeping session: GleapSession?) throws(GleapError) -> GleapSession {
        let status = answer.status
        let members = try? JSONDecoder().decode(
            [String: JSONValue].self, from: answer.body.prefix(Self.maximumBody + 1))
        switch status {
        case 200...299: break
        case 300...399:
            throw GleapError(
                .redirected, "HTTP \(status): redirects are not followed; set apiURL to the final address",
                status: status)
        case 429: throw GleapError(.tooManyRequests, "HTTP 429: too many requests", status: status)
        case 400...499:
            // Its own word for "I do not know you" comes with any status.
            if let members, Self.holdsError(members) { throw Self.rejected(status) }
            throw GleapError(
                .refused, "HTTP \(status): the service refused; check the API key and the user's hash", status: status)
        case 500...599: throw GleapError(.serviceFailure, "HTTP \(status): the service failed", status: status)
        default: throw GleapError(.unexpectedStatus, "HTTP \(status) is no answer to this call", status: status)
        }
        guard !answer.body.isEmpty else {
            throw GleapError(.emptyAnswer, "HTTP \(status) without a body", status: status)
        }
        guard answer.body.count <= Self.maximumBody else {
            throw GleapError(.malformedAnswer, "the answer is larger than \(Self.maximumBody) bytes", status: status)
        }
        guard var members else {
            throw GleapError(.malformedAnswer, "the answer is no JSON object", status: status)
        }
        if Self.holdsError(members) { throw Self.rejected(status) }
        let (id, hash) = (members.removeValue(forKey: "gleapId"), members.removeValue(forKey: "gleapHash"))
        // Both or none: half of a new pair fits no half of the old one.
        if id == nil, hash == nil, let session {
            return GleapSession(gleapID: session.gleapID, gleapHash: session.gleapHash, fields: members)
        }
        return GleapSession(
            gleapID: try credential(id, "gleapId", status), gleapHash: try credential(hash, "gleapHash", status),
            fields: members)
    }

    /// The `Retry-After` of an answer.
    func retryAfter(of answer: HTTPAnswer, now: Date) -> Duration? {
        answer.retryAfter.flatMap { RetryAfter.parse($0, date: answer.date, now: now) }
    }

    private static func holdsError(_ members: [String: JSONValue]) -> Bool {
        ["error", "errors"].contains { name in
            switch members[name] {
            case nil, .null, .bool(false): false
            case .array(let values): !values.isEmpty
            case .bool(true), .number, .string, .object: true
            }
        }
    }

    private static func rejected(_ status: Int) -> GleapError {
        GleapError(.rejected, "the service rejected the request with an error of its own", status: status)
    }

    private func credential(_ value: JSONValue?, _ name: String, _ status: Int) throws(GleapError) -> String {
        guard let text = value?.string else {
            throw GleapError(.missingField, "the answer has no text \(name)", status: status)
        }
        guard Credential.isUsable(text) else {
            throw GleapError(
                .missingField, "the \(name) of the answer is empty or holds more than visible ASCII", status: status)
        }
        return text
    }
}

extension GleapConfiguration {
    /// The socket's URL for this session: every value percent-encoded but for unreserved characters (RFC 3986 section 2.3).
    func socketURL(for session: GleapSession) throws(GleapError) -> URL {
        var parts = URLComponents(url: socketURL, resolvingAgainstBaseURL: true)
        let items = [
            ("gleapId", session.gleapID), ("gleapHash", session.gleapHash), ("apiKey", apiKey),
            ("sdkVersion", sdkVersion),
        ]
        let query = items.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        let present = parts?.percentEncodedQuery ?? ""
        parts?.percentEncodedQuery = present.isEmpty ? query : "\(present)&\(query)"
        guard let url = parts?.url else {
            throw GleapError(.invalidConfiguration, "the socket's URL cannot take a query")
        }
        return url
    }

    static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
