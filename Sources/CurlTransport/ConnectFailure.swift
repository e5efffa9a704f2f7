#if os(Linux)
import CCurl
import ConnectionCore
import Glibc
import SteadyTransport

/// Why libcurl could not make a connection, in our terms.
struct ConnectFailure {
    var reason: DisconnectReason
    var error: ConnectionError

    init(_ result: CURLcode, of easy: EasyHandle, to endpoint: Endpoint, options: CurlTransport.Options) {
        // libcurl says "couldn't connect"; the system says whether that was a refusal, a lack of route or of descriptors.
        let system = easy.number(CURLINFO_OS_ERRNO)
        let words =
            easy.explanation(of: result)
            + (result == CURLE_COULDNT_CONNECT && system != 0 ? ": " + String(cString: strerror(Int32(system))) : "")
        let proxyStatus = easy.number(CURLINFO_HTTP_CONNECTCODE)
        if proxyStatus != 0 && proxyStatus / 100 != 2 {
            self.init(.proxy, .proxy, "the proxy refused the tunnel with HTTP status \(proxyStatus)", words)
            return
        }
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST:
            self.init(.nameResolution, .nameResolution, "the host \(endpoint.host) could not be resolved", words)
        case CURLE_COULDNT_RESOLVE_PROXY:
            self.init(.proxy, .proxy, "the name of the proxy could not be resolved", words)
        case CURLE_PROXY:
            self.init(.proxy, .proxy, "the proxy could not make the connection", words)
        case CURLE_COULDNT_CONNECT where Self.failedAtProxy(options, endpoint, words):
            self.init(.proxy, .proxy, "the proxy could not be reached or could not make the connection", words)
        case CURLE_COULDNT_CONNECT:
            self.init(.connect, .connect, "no connection to \(endpoint.authority)", words)
        case CURLE_OPERATION_TIMEDOUT:
            self.init(
                reason: .openingTimedOut, .timedOut, "the opening handshake took too long; it was connecting", words
            )
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            self.init(.tls, .tls, Self.explainTLS(result, easy, endpoint, words), words)
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
            self.init(.connectionLost, .connectionLost, "the connection ended while it was being made", words)
        default:
            self.init(.connect, .connect, "no connection to \(endpoint.authority)", words)
        }
    }

    private init(_ failure: OpeningFailure, _ code: ConnectionError.Code, _ message: String, _ words: String) {
        self.init(reason: .openingFailed(failure), code, message, words)
    }

    private init(reason: DisconnectReason, _ code: ConnectionError.Code, _ message: String, _ words: String) {
        self.reason = reason
        error = ConnectionError(code, message, underlying: words)
    }

    /// Whether the connection that could not be made was the one to the proxy. What the environment says may not hold
    /// for this host, so there libcurl's words decide, which name whom it tried to connect to.
    private static func failedAtProxy(
        _ options: CurlTransport.Options, _ endpoint: Endpoint, _ words: String
    ) -> Bool {
        if let proxy = options.proxy { return !proxy.isEmpty }
        if words.contains(" to \(endpoint.host) ") { return false }
        let names =
            (endpoint.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        return names.contains { getenv($0).map { $0[0] != 0 } ?? false }
    }

    /// Certificate checks by their X509_V_ERR number in OpenSSL.
    private static func explainTLS(
        _ result: CURLcode, _ easy: EasyHandle, _ endpoint: Endpoint, _ words: String
    ) -> String {
        switch easy.number(CURLINFO_SSL_VERIFYRESULT) {
        case 9: return "the server's certificate is not valid yet"
        case 10: return "the server's certificate has expired"
        case 18: return "the server's certificate is signed by itself and not trusted; name its CA in a CA file"
        case 2, 19, 20, 21:
            return "the server's certificate is not signed by a trusted authority; name its CA in a CA file"
        case 62, 64: return "the server's certificate is for another host than \(endpoint.host)"
        // 1 stands for "not checked".
        case let number where number > 1:
            return "the server's certificate was refused: \(words)"
        default: break
        }
        switch result {
        case CURLE_PEER_FAILED_VERIFICATION:
            // OpenSSL found nothing wrong; libcurl did: the name.
            return "the server's certificate is for another host than \(endpoint.host)"
        case CURLE_SSL_CACERT_BADFILE: return "the file of certificate authorities cannot be used: \(words)"
        default: return "the TLS handshake failed: \(words)"
        }
    }
}
#endif
