import Foundation
import GleapRealtime
import PeerSupport
import SteadySocket
import Testing

/// Credentials and personal data appear in no log line, status, event, decision, error or description.
@Suite struct SecretTests {
    /// Everything that must not be seen, in every form it is sent in.
    private func secrets(_ session: GleapSession) -> [String] {
        let plain = [
            session.gleapID, session.gleapHash, GleapService.apiKey, "userproof", "Mary Secret", "mary@example.com",
            "custom secret", "secretuser", "secret answer",
        ]
        let encoded = plain.map { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? $0 }
        return plain + encoded + ["gleapHash=", "apiKey="]
    }

    /// Which of them can be seen.
    private func found(in text: String, _ secrets: [String]) -> [String] { secrets.filter(text.contains) }

    @Test("a whole life, with every kind of failure, shows no secret")
    func life() async throws {
        let service = try await GleapService()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("gleap-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let client = try Client(service, store: FileIdentityStore(directory: directory))
        let events = client.realtime.events
        let statuses = client.realtime.connection.events
        client.realtime.start()
        try client.realtime.identify(
            GleapUser(
                id: "secretuser", hash: "userproof", name: "Mary Secret", email: "mary@example.com",
                customData: ["note": "custom secret"]))
        _ = try await service.nextOpen()
        let session = try #require(client.realtime.session)
        for answer in [
            GleapService.Answer(status: 500, body: "secret answer"), .init(status: 200, body: "secret answer"),
            .init(status: 302, body: "secret answer", headers: ["Location": "/?gleapHash=secret answer"]),
        ] {
            try await service.answer("/sessions/partialupdate", with: answer)
        }
        try client.realtime.updateContact(GleapContact(name: "Mary Secret 2"))
        #expect(try await client.failed().code == .redirected)
        try await service.answer("/sessions/identify", with: .init(status: 400, body: #"{"error":"secret answer"}"#))
        try client.realtime.identify(GleapUser(id: "secretuser", hash: "userproof2"))
        #expect(try await client.failed().code == .rejected)
        _ = try await service.nextOpen()
        try await service.sendAll("secret answer")
        try await client.roundTrip(service, 1)

        let realtime = client.realtime
        var seen = ["\(realtime.status)", String(reflecting: realtime.status), String(reflecting: realtime)]
        seen += realtime.connection.decisions.map { "\($0) \(String(reflecting: $0))" }
        let log = client.log.withLock { $0 }
        seen += log.map { "\($0)" }
        realtime.stop()
        _ = try await service.nextClosed()
        seen += try await collected(events, until: { $0 == .stateChanged(.stopped) }).map(String.init(reflecting:))
        seen += try await collected(statuses, until: { "\($0)".contains("idle") }).map(String.init(reflecting:))
        // It is not the emptiness of it all that is clean.
        #expect(seen.count > 50)
        #expect(log.contains { $0.message == "session request failed" && $0.metadata["error"] == "rejected" })
        for text in seen { #expect(found(in: text, secrets(session)).isEmpty, "\(text)") }
    }

    private func collected<Element: Sendable>(
        _ stream: AsyncStream<Element>, until end: @escaping @Sendable (Element) -> Bool
    ) async throws -> [Element] {
        try await withWatchdog("the end of a stream") {
            var all: [Element] = []
            for await element in stream {
                all.append(element)
                if end(element) { break }
            }
            return all
        }
    }

    @Test("descriptions, reflections and dumps of what holds secrets do not show them")
    func descriptions() throws {
        let session = GleapSession(
            gleapID: "secret id", gleapHash: "secret hash", fields: ["name": "secret name", "userId": "secret user"])
        let user = GleapUser(id: "secret id", hash: "secret hash", name: "secret name", customData: ["a": "secret"])
        let request = HTTPRequest(
            url: try #require(URL(string: "https://api.test/sessions?secret")), headers: ["Gleap-Hash": "secret hash"],
            body: Data("secret".utf8), timeout: .seconds(1))
        let answer = HTTPAnswer(status: 200, body: Data("secret".utf8))
        let values: [Any] = [
            session, user, user.contact, request, answer, GleapEvent.answered(.start, session),
            GleapEvent.stateChanged(.ready),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("secret"), "\(text)")
                #expect(!text.contains("115 "), "the bytes of the body: \(text)")
            }
        }
    }

    @Test("the search finds a secret that is there, plain or encoded")
    func theSearchFinds() {
        let secrets = secrets(GleapSession(gleapID: "id1+/=", gleapHash: "hash1&=%?#+/"))
        #expect(found(in: "…hash1&=%?#+/…", secrets) == ["hash1&=%?#+/"])
        #expect(found(in: "…hash1%26%3D%25%3F%23%2B%2F…", secrets) == ["hash1%26%3D%25%3F%23%2B%2F"])
        #expect(found(in: "?gleapHash=x", secrets) == ["gleapHash="])
        #expect(found(in: "session ready, socket open #1", secrets).isEmpty)
    }
}
