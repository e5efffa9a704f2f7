#if os(Linux)
import ConnectionCore
import CurlTransport
import Foundation
import PeerSupport
import SteadyTransport
import Testing

/// The transport against a server that is not ours, which reports what it saw.
@Suite struct PeerTests {
    // MARK: Codes

    @Test(arguments: [1000, 1001, 1003, 1008, 1011, 1012, 1013, 1014, 3000, 4001, 4999])
    func everyCodeOfTheServerArrivesIntact(code: Int) async throws {
        let peer = try await Peer()
        let close = try await Attempt(peer.url("/close/\(code)?reason=why")).facts.closed()
        let expected = CloseCode(rawValue: UInt16(code))
        #expect(close == TransportClose(.closedByPeer(expected), closeCode: expected, closeReason: "why"))
        // The code that came back to the server.
        #expect(try await peer.nextClosed().code == code)
    }

    @Test func endsWithoutACodeAreToldApart() async throws {
        let peer = try await Peer()
        let empty = try await Attempt(peer.url("/empty-close")).facts.closed()
        #expect(empty == TransportClose(.closedByPeer(.noStatusReceived), closeCode: .noStatusReceived))
        for path in ["/drop", "/reset"] {
            let close = try await Attempt(peer.url(path)).facts.closed()
            #expect(close.reason == .connectionLost, "\(path)")
            #expect(close.closeCode == .abnormalClosure)
            #expect(close.error?.code == .connectionLost)
            #expect(close.outcome == nil)
        }
    }

    @Test(arguments: [1000, 1001, 1012, 3000, 4001])
    func theServerSeesTheCodeItWasSent(code: UInt16) async throws {
        let peer = try await Peer()
        let attempt = try Attempt(peer.url("/echo"))
        _ = try await attempt.facts.opened()
        let close = try await attempt.close(CloseCode(rawValue: code), "because")
        #expect(close.outcome == .acknowledged)
        let seen = try await peer.nextClosed()
        #expect(seen.code == Int(code))
        #expect(seen.reason == "because")
        #expect(seen.first == "client")
    }

    @Test func twoHundredSocketsClosingAtOnceAreAllSeenToClose() async throws {
        let peer = try await Peer()
        let attempts = try (0..<200).map { _ in try Attempt(peer.url("/echo")) }
        for attempt in attempts { _ = try await attempt.facts.opened() }
        // With data on the way in both directions.
        for attempt in attempts {
            for _ in 0..<20 { attempt.socket.send(.binary(Data(count: 10_000))) { _ in } }
        }
        for attempt in attempts { attempt.socket.close(code: .normalClosure, reason: "") }
        for attempt in attempts {
            #expect(try await attempt.facts.closed().outcome == .acknowledged)
        }
        for _ in attempts {
            #expect(try await peer.nextClosed().code == 1000)
        }
    }

    // MARK: Opening

    @Test func aRefusalCarriesStatusAndRetryAfter() async throws {
        let peer = try await Peer()
        let busy = try await Attempt(peer.url("/status/503?retry-after=7&token=secret")).facts.closed()
        #expect(busy.reason == .openingRefused(status: 503))
        #expect(busy.retryAfter == .seconds(7))
        #expect(busy.error?.code == .refused)
        #expect(busy.error?.description.contains("secret") == false)
        for status in [302, 401, 403, 404, 429, 500] {
            let close = try await Attempt(peer.url("/status/\(status)?location=/echo")).facts.closed()
            #expect(close.reason == .openingRefused(status: status))
            #expect(close.retryAfter == nil)
        }
    }

    @Test(arguments: [
        ("/bad-accept", OpeningFailure.invalidResponse), ("/bad-upgrade", .invalidResponse),
        ("/bad-extension", .invalidResponse), ("/bad-subprotocol", .invalidResponse), ("/garbage", .invalidResponse),
        ("/endless", .invalidResponse), ("/half", .connectionLost),
    ])
    func answersThatAreNoneFailTheAttempt(path: String, failure: OpeningFailure) async throws {
        let peer = try await Peer()
        let close = try await Attempt(peer.url(path)).facts.closed()
        #expect(close.reason == .openingFailed(failure))
    }

    @Test func headersAndSubprotocolsReachTheServer() async throws {
        let peer = try await Peer()
        let attempt = try Attempt(
            peer.url("/echo?subprotocol=v1&q=%20x"),
            headers: [HeaderField("X-App", "steady"), HeaderField("X-App", "2")],
            subprotocols: ["v2", "v1"])
        #expect(try await attempt.facts.opened().subprotocol == "v1")
        let open = try await peer.nextOpen("/echo")
        #expect(open.path == "/echo?subprotocol=v1&q=%20x")
        #expect(open.headers?["x-app"] == "steady, 2")
        #expect(open.headers?["host"] == "127.0.0.1:\(peer.port)")
        #expect(open.subprotocol == "v1")
        _ = try await attempt.close()
    }

    @Test func aMessageInTheSegmentOfTheAnswerIsNotLost() async throws {
        let peer = try await Peer()
        let attempt = try Attempt(peer.url("/early?text=now"))
        #expect(try await attempt.facts.message() == .text("now"))
        _ = try await attempt.close()
    }

    @Test func nobodyListeningIsAConnectFailure() async throws {
        let peer = try await Peer()
        try await peer.perform(.stopListening)
        let close = try await Attempt(peer.url("/")).facts.closed()
        #expect(close.reason == .openingFailed(.connect))
        #expect(close.error?.code == .connect)
        #expect(close.error?.underlying?.contains("Connection refused") == true)
    }

    @Test func aNameThatDoesNotExistIsANameFailure() async throws {
        // RFC 6761 section 6.4: no resolver may have an answer for "invalid".
        let close = try await Attempt("ws://nowhere.invalid/").facts.closed()
        #expect(close.reason == .openingFailed(.nameResolution))
        #expect(close.error?.message.contains("nowhere.invalid") == true)
    }

    // MARK: Compression

    @Test(arguments: [true, false])
    func messagesAreCompressedIfBothSidesWantIt(serverWants: Bool) async throws {
        let peer = try await Peer(options: serverWants ? [] : ["--no-deflate"])
        for clientWants in [true, false] {
            let attempt = try Attempt(peer.url("/echo"), options: .init(proxy: "", permessageDeflate: clientWants))
            let extensions = try await attempt.facts.opened().extensions
            #expect(extensions.hasPrefix("permessage-deflate") == (serverWants && clientWants))
            // The second and third refer back to the first, if the server keeps its context.
            for number in 0..<3 {
                let text = String(repeating: "steady \(number / 2) ", count: 1000)
                #expect(await attempt.send(.text(text)) == nil)
                #expect(try await attempt.facts.message() == .text(text))
            }
            _ = try await attempt.close()
        }
    }

    // MARK: Proxies

    @Test(arguments: [false, true])
    func proxiesCarryTheSocket(asksForUser: Bool) async throws {
        let peer = try await Peer()
        let proxy = try await PeerProxy(credentials: asksForUser ? (user: "u", password: "p w") : nil)
        let user = asksForUser ? "u:p%20w@" : ""
        for (kind, url) in [
            ("http", "http://\(user)127.0.0.1:\(proxy.httpPort)"),
            ("socks5", "socks5h://\(user)127.0.0.1:\(proxy.socksPort)"),
        ] {
            let attempt = try Attempt(peer.url("/echo"), options: .init(proxy: url))
            _ = try await attempt.facts.opened()
            #expect(await attempt.send(.text("through")) == nil)
            #expect(try await attempt.facts.message() == .text("through"))
            #expect(try await attempt.close().outcome == .acknowledged)
            let use = try await proxy.nextUse()
            #expect(use.kind == kind)
            #expect(use.target == "127.0.0.1:\(peer.port)")
            #expect(use.user == (asksForUser ? "u" : nil))
        }
    }

    @Test func aProxyThatRefusesIsAProxyFailure() async throws {
        let peer = try await Peer()
        let proxy = try await PeerProxy(credentials: (user: "u", password: "p"))
        for url in ["http://127.0.0.1:\(proxy.httpPort)", "socks5://u:secret@127.0.0.1:\(proxy.socksPort)"] {
            let close = try await Attempt(peer.url("/"), options: .init(proxy: url)).facts.closed()
            #expect(close.reason == .openingFailed(.proxy), "\(url)")
            #expect(close.error?.code == .proxy)
            #expect(close.error?.description.contains("secret") == false)
        }
        proxy.stop()
        let gone = try await Attempt(peer.url("/"), options: .init(proxy: "http://127.0.0.1:1")).facts.closed()
        #expect(gone.reason == .openingFailed(.proxy))
    }
}

/// wss with an authority only the test knows.
@Suite struct TLSTests {
    // One authority for all: making it takes longer than any of the tests.
    private static let shared = Result { try TestCertificates() }
    private let certificates: TestCertificates

    init() throws { certificates = try Self.shared.get() }

    private func options(addresses: [String: String] = [:]) -> CurlTransport.Options {
        .init(caFile: certificates.authority, proxy: "", addresses: addresses)
    }

    @Test func aServerOfTheAuthorityIsTrusted() async throws {
        let peer = try await Peer(certificate: certificates.valid)
        let attempt = try Attempt(peer.secureURL("/echo"), options: options())
        _ = try await attempt.facts.opened()
        #expect(try await peer.nextOpen().secure == true)
        let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) })
        for _ in 0..<3 { attempt.socket.send(.binary(bytes)) { _ in } }
        for _ in 0..<3 { #expect(try await attempt.facts.message() == .binary(bytes)) }
        #expect(try await attempt.close().outcome == .acknowledged)
        #expect(try await peer.nextClosed().code == 1000)
    }

    @Test func aPinnedAddressIsStillCheckedAgainstTheName() async throws {
        let peer = try await Peer(certificate: certificates.wrongHost)
        let url = try peer.secureURL("/echo", host: "elsewhere.example")
        let attempt = try Attempt(url, options: options(addresses: ["elsewhere.example": "127.0.0.1"]))
        _ = try await attempt.facts.opened()
        _ = try await attempt.close()
    }

    @Test func certificatesThatDoNotFitAreRefusedWithAReason() async throws {
        let wrongHost = try await Peer(certificate: certificates.wrongHost)
        let expired = try await Peer(certificate: certificates.expired)
        let valid = try await Peer(certificate: certificates.valid)
        for (url, options, word) in [
            (try wrongHost.secureURL("/"), options(), "another host than localhost"),
            (try expired.secureURL("/"), options(), "has expired"),
            // Without the test's authority, the system's do not know it.
            (try valid.secureURL("/"), CurlTransport.Options(proxy: ""), "not signed by a trusted authority"),
        ] {
            let close = try await Attempt(url, options: options).facts.closed()
            #expect(close.reason == .openingFailed(.tls), "\(word)")
            #expect(close.error?.code == .tls)
            #expect(close.error?.message.contains(word) == true, "\(String(describing: close.error))")
        }
    }

    @Test func plainTextInsteadOfTLSIsRefused() async throws {
        let peer = try await Peer()
        let close = try await Attempt("wss://127.0.0.1:\(peer.port)/", options: options()).facts.closed()
        #expect(close.reason == .openingFailed(.tls))
    }

    @Test func demandHoldsWithTLSToo() async throws {
        let peer = try await Peer(certificate: certificates.valid)
        let attempt = try Attempt(peer.secureURL("/flood/500?size=3000"), options: options(), demand: 0)
        _ = try await attempt.facts.opened()
        for number in 1...500 {
            attempt.socket.receive(1)
            _ = try await attempt.facts.message()
            guard number < 500 else { break }
            let reported = attempt.facts.all.count { if case .message = $0 { true } else { false } }
            #expect(reported == number)
        }
        #expect(try await attempt.facts.closed().reason == .closedByPeer(.normalClosure))
    }

    @Test func aProxyCarriesTLS() async throws {
        let peer = try await Peer(certificate: certificates.valid)
        let proxy = try await PeerProxy()
        for url in ["http://127.0.0.1:\(proxy.httpPort)", "socks5h://127.0.0.1:\(proxy.socksPort)"] {
            let attempt = try Attempt(
                peer.secureURL("/echo"), options: .init(caFile: certificates.authority, proxy: url))
            _ = try await attempt.facts.opened()
            #expect(try await attempt.close().outcome == .acknowledged)
        }
    }
}
#endif
