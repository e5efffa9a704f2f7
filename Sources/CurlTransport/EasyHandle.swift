#if os(Linux)
import CCurl
import Glibc

/// One libcurl easy handle: it makes the connection (name, TCP, proxy, TLS) and then carries bytes, nothing more.
final class EasyHandle {
    /// What came of a read or a write.
    enum Transfer {
        case bytes(Int)
        /// Nothing now; epoll will tell.
        case wouldBlock
        /// The connection is over: the peer's FIN, a reset or a TLS error.
        case ended
    }

    let shard: Shard
    private let easy = curl_easy_init()!
    private var connectTo: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// Makes a handle and starts to connect.
    ///
    /// - Parameter timeout: milliseconds; libcurl divides them among the addresses of the host.
    init(
        to endpoint: Endpoint, options: CurlTransport.Options, socketID: UInt64, timeout: Int, in shard: Shard
    ) {
        self.shard = shard
        errorText[0] = 0
        set(CURLOPT_URL, "\(endpoint.isSecure ? "https" : "http")://\(endpoint.authority)/")
        set(CURLOPT_CONNECT_ONLY, 1)
        set(CURLOPT_NOSIGNAL, 1)
        // Else freeing a handle that is still looking a name up waits for that lookup, and every socket with it.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_FRESH_CONNECT, 1)
        set(CURLOPT_HTTPPROXYTUNNEL, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // No server is to choose HTTP/2, which cannot carry this upgrade.
        set(CURLOPT_SSL_ENABLE_ALPN, 0)
        set(CURLOPT_BUFFERSIZE, 1024)
        set(CURLOPT_CONNECTTIMEOUT_MS, timeout)
        // A directory of certificates, which Debian sets, keeps libcurl from sharing the loaded store among
        // connections: 860 KiB and 28 ms for each.
        set(CURLOPT_CAPATH, nil)
        if let file = options.caFile { set(CURLOPT_CAINFO, file) }
        if let proxy = options.proxy {
            set(CURLOPT_PROXY, proxy)
            // Else the environment's exceptions would apply to a proxy that is not the environment's.
            set(CURLOPT_NOPROXY, "")
        }
        if let address = options.addresses[endpoint.host.lowercased()] {
            // Not CURLOPT_RESOLVE: that would go into a cache which other connections share.
            let place = address.contains(":") ? "[\(address)]" : address
            connectTo = curl_slist_append(nil, "\(endpoint.authority):\(place):\(endpoint.port)")
            steady_set_pointer(easy, CURLOPT_CONNECT_TO, connectTo)
        }
        steady_set_pointer(easy, CURLOPT_PRIVATE, UnsafeMutableRawPointer(bitPattern: UInt(socketID)))
        steady_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        curl_multi_add_handle(shard.multi, easy)
    }

    /// The socket a handle was made for.
    static func socketID(of easy: UnsafeMutableRawPointer?) -> UInt64? {
        var value: UnsafeMutablePointer<CChar>?
        guard steady_get_pointer(easy, CURLINFO_PRIVATE, &value) == CURLE_OK, let value else { return nil }
        return UInt64(UInt(bitPattern: value))
    }

    /// The connection's file descriptor, once it is made.
    var file: Int32? {
        var file: curl_socket_t = -1
        return steady_get_socket(easy, &file) == CURLE_OK && file >= 0 ? file : nil
    }

    /// libcurl's own words about what went wrong; no part of the request is in them.
    func explanation(of result: CURLcode) -> String {
        errorText[0] != 0 ? String(cString: errorText) : String(cString: curl_easy_strerror(result))
    }

    /// A number libcurl knows about the connection, 0 if it does not.
    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return steady_get_long(easy, info, &value) == CURLE_OK ? value : 0
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        var count = 0
        let result = curl_easy_recv(easy, buffer.baseAddress, buffer.count, &count)
        if result == CURLE_AGAIN { return .wouldBlock }
        return result == CURLE_OK && count > 0 ? .bytes(count) : .ended
    }

    /// After `wouldBlock`, the next call must come with the same bytes at the same address: OpenSSL insists.
    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        var count = 0
        let result = curl_easy_send(easy, bytes.baseAddress, bytes.count, &count)
        if result == CURLE_AGAIN { return .wouldBlock }
        return result == CURLE_OK ? .bytes(count) : .ended
    }

    /// Closes the connection and frees the handle. Not inside a callback of libcurl.
    func free() {
        // The handle has to leave its multi only now: libcurl closes the connection of one that leaves.
        curl_multi_remove_handle(shard.multi, easy)
        curl_easy_cleanup(easy)
        curl_slist_free_all(connectTo)
        errorText.deallocate()
    }

    private func set(_ option: CURLoption, _ value: Int) { steady_set_long(easy, option, value) }
    private func set(_ option: CURLoption, _ value: String?) { steady_set_string(easy, option, value) }
}
#endif
