import ConnectionCore
import Foundation
import SteadyTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An error of `URLSession` in our terms.
///
/// Of the error itself only domains and codes are kept: its description and its user info hold the URL, and with it
/// whatever the query says.
struct NativeFailure {
    /// What an attempt that was still opening ends with.
    let openingReason: DisconnectReason
    /// The same for people; also fit for a socket that was open.
    let error: ConnectionError
    /// The message was larger than `maximumMessageSize`.
    let isMessageTooBig: Bool

    init(_ error: (any Error)?, isTrustRefused: Bool = false) {
        guard let error else {
            self.init(.openingFailed(.connectionLost), .connectionLost, Self.lost, nil)
            return
        }
        let native = error as NSError
        let kind = isTrustRefused ? .refusedByEvaluator : Kind(native)
        let (reason, code, message) = kind.terms
        self.init(reason, code, message, Self.name(native), isMessageTooBig: kind == .tooBig)
    }

    private init(
        _ reason: DisconnectReason, _ code: ConnectionError.Code, _ message: String, _ underlying: String?,
        isMessageTooBig: Bool = false
    ) {
        openingReason = reason
        error = ConnectionError(code, message, underlying: underlying)
        self.isMessageTooBig = isMessageTooBig
    }

    static let lost = "the connection ended without a Close frame"

    private static func name(_ error: NSError) -> String {
        let name = "\(error.domain) \(error.code)"
        guard let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError else { return name }
        return "\(name), from \(cause.domain) \(cause.code)"
    }

    private enum Kind: Equatable {
        case name, connect, insecure, timedOut, lost, invalid, tls, certificate, refusedByEvaluator, proxy, tooBig,
            unsupported

        init(_ error: NSError) {
            switch error.domain {
            case NSURLErrorDomain: self.init(urlError: error.code)
            case NSPOSIXErrorDomain: self.init(posix: error.code)
            case "NSOSStatusErrorDomain" where (-9899 ... -9800).contains(error.code): self = .tls
            // kCFErrorHTTPProxyConnectionFailure and its neighbours, to the answer to CONNECT that was not 200.
            case "kCFErrorDomainCFNetwork" where (306...311).contains(error.code): self = .proxy
            default: self = .lost
            }
        }

        /// By number, from Foundation's NSURLError.h: not all have a name on Linux.
        private init(urlError code: Int) {
            switch code {
            case -1003, -1006: self = .name
            // Not connected, roaming off, call active, data not allowed.
            case -1004, -1009, -1018, -1019, -1020: self = .connect
            case -1022: self = .insecure
            case -1002: self = .unsupported
            case -1001: self = .timedOut
            case -1007, -1010, -1011, -1017: self = .invalid
            case -1200, -1205, -1206: self = .tls
            case -1204 ... -1201: self = .certificate
            default: self = .lost
            }
        }

        /// By Darwin's numbers, which is where these errors come from.
        private init(posix code: Int) {
            switch code {
            case 40: self = .tooBig
            // ENETDOWN, ENETUNREACH, ECONNREFUSED, EHOSTDOWN, EHOSTUNREACH
            case 50, 51, 61, 64, 65: self = .connect
            case 60: self = .timedOut
            // ECONNABORTED 53, ECONNRESET 54, ENOTCONN 57, EPIPE 32, ECANCELED 89 and what is to come.
            default: self = .lost
            }
        }

        var terms: (DisconnectReason, ConnectionError.Code, String) {
            switch self {
            case .name: (.openingFailed(.nameResolution), .nameResolution, "the host could not be resolved")
            case .connect: (.openingFailed(.connect), .connect, "no connection to the host")
            case .insecure:
                (
                    .openingFailed(.connect), .connect,
                    "App Transport Security forbids ws://; use wss:// or add an exception to the Info.plist"
                )
            case .unsupported:
                (
                    .openingFailed(.connect), .connect,
                    "URLSession cannot open WebSockets on this system; on Linux use CurlTransport"
                )
            case .timedOut: (.openingTimedOut, .timedOut, "the system gave the connection up as too slow")
            case .lost: (.openingFailed(.connectionLost), .connectionLost, NativeFailure.lost)
            case .invalid:
                (.openingFailed(.invalidResponse), .protocolViolation, "the answer to the upgrade request is invalid")
            case .tls: (.openingFailed(.tls), .tls, "the TLS handshake failed")
            case .certificate:
                (
                    .openingFailed(.tls), .tls,
                    "the server's certificate is expired, not valid yet, for another host or not trusted"
                )
            case .refusedByEvaluator:
                (.openingFailed(.tls), .tls, "the app's trust evaluator refused the server's certificate")
            case .proxy: (.openingFailed(.proxy), .proxy, "the proxy refused or could not be reached")
            case .tooBig: (.openingFailed(.connectionLost), .messageTooBig, "the message is larger than the limit")
            }
        }
    }
}

extension CloseCode {
    /// What a Close frame was reported with: nil if the number says that there was none.
    ///
    /// 0 is what is reported for a frame whose code is missing or was not understood.
    init?(reported number: Int) {
        switch number {
        case 1006, 1015: return nil
        default:
            let code = UInt16(exactly: number).flatMap { $0 == 0 ? nil : CloseCode(rawValue: $0) }
            self = code ?? .noStatusReceived
        }
    }
}
