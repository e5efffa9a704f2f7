import Foundation
import SteadySocket
import SteadySocketURLSessionTestKit
import Testing

/// What an error of `URLSession` is taken for, and that none of its words get out.
@Suite struct FailureTests {
    @Test(
        "errors of URLSession by number",
        arguments: [
            (-1003, .openingFailed(.nameResolution), .nameResolution),
            (-1006, .openingFailed(.nameResolution), .nameResolution),
            (-1004, .openingFailed(.connect), .connect), (-1009, .openingFailed(.connect), .connect),
            (-1020, .openingFailed(.connect), .connect), (-1022, .openingFailed(.connect), .connect),
            (-1001, .openingTimedOut, .timedOut), (-1005, .openingFailed(.connectionLost), .connectionLost),
            (-1011, .openingFailed(.invalidResponse), .protocolViolation),
            (-1200, .openingFailed(.tls), .tls), (-1202, .openingFailed(.tls), .tls),
            (-1204, .openingFailed(.tls), .tls), (-1206, .openingFailed(.tls), .tls),
            (-999, .openingFailed(.connectionLost), .connectionLost),
            (-123_456, .openingFailed(.connectionLost), .connectionLost),
        ] as [(Int, DisconnectReason, ConnectionError.Code)])
    func urlErrors(number: Int, reason: DisconnectReason, code: ConnectionError.Code) throws {
        let bench = try Bench { call, task in if call == .resume { task.completes(urlError: number) } }
        try bench.expectEnd(reason)
        #expect(bench.facts.end?.error?.code == code)
        #expect(bench.facts.end?.error?.underlying == "NSURLErrorDomain \(number)")
    }

    @Test(
        "errors of the socket by Darwin's number",
        arguments: [
            (61, .openingFailed(.connect)), (51, .openingFailed(.connect)), (65, .openingFailed(.connect)),
            (60, .openingTimedOut), (54, .openingFailed(.connectionLost)), (57, .openingFailed(.connectionLost)),
        ] as [(Int, DisconnectReason)])
    func posixErrors(number: Int, reason: DisconnectReason) throws {
        let bench = try Bench { call, task in if call == .resume { task.completes(posix: number) } }
        try bench.expectEnd(reason)
    }

    @Test(
        "errors of other domains",
        arguments: [
            ("kCFErrorDomainCFNetwork", 310, .openingFailed(.proxy)),
            ("kCFErrorDomainCFNetwork", 311, .openingFailed(.proxy)),
            ("kCFErrorDomainCFNetwork", 2, .openingFailed(.connectionLost)),
            ("NSOSStatusErrorDomain", -9807, .openingFailed(.tls)),
            ("NSOSStatusErrorDomain", -50, .openingFailed(.connectionLost)),
            ("com.example", 1, .openingFailed(.connectionLost)),
        ] as [(String, Int, DisconnectReason)])
    func otherErrors(domain: String, number: Int, reason: DisconnectReason) throws {
        let bench = try Bench { call, task in
            if call == .resume { task.completes(NSError(domain: domain, code: number)) }
        }
        try bench.expectEnd(reason)
    }

    @Test("a proxy that refuses is not taken for the server, though its answer has a status")
    func proxyStatus() throws {
        let bench = try Bench(script: Bench.silent)
        // Only a response is given first; the error then names the proxy.
        try bench.task.answers(status: 407)
        try bench.task.completes(NSError(domain: "kCFErrorDomainCFNetwork", code: 311))
        try bench.expectEnd(.openingFailed(.proxy))
    }

    @Test("the cause below an error is named by domain and code alone")
    func underlying() throws {
        let secret = SimulatedTask.secret
        let bench = try Bench { call, task in
            guard call == .resume else { return }
            let cause = NSError(domain: "NSOSStatusErrorDomain", code: -9802, userInfo: ["_url": secret])
            task.completes(
                NSError(domain: NSURLErrorDomain, code: -1200, userInfo: [NSUnderlyingErrorKey: cause, "url": secret]))
        }
        try bench.expectEnd(.openingFailed(.tls))
        #expect(bench.facts.end?.error?.underlying == "NSURLErrorDomain -1200, from NSOSStatusErrorDomain -9802")
    }

    @Test("didComplete without an error before the opening is a lost connection")
    func noError() throws {
        let bench = try Bench { call, task in if call == .resume { task.completes() } }
        try bench.expectEnd(.openingFailed(.connectionLost))
    }
}
