#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import SteadySocket

/// What a session needs to know. `apiKey` is the only value without a default.
public struct GleapConfiguration: Sendable {
    /// The project's key. Sent as `Api-Token` and in the query of the socket.
    public var apiKey: String
    /// Base of the HTTP calls; `/sessions` is put behind it. Default `https://api.gleap.io`.
    public var apiURL = URL(string: "https://api.gleap.io")!
    /// Where the socket goes; the credentials are put into its query. Default `wss://ws.gleap.io`.
    public var socketURL = URL(string: "wss://ws.gleap.io")!
    /// What the socket's query calls `sdkVersion`. Default `1.0`.
    public var sdkVersion = "1.0"
    /// The user's language, as `lang`. Default `en`.
    public var language = "en"
    /// As `platform`. Default: the name of the system.
    public var platform = GleapConfiguration.systemName
    /// As `deviceType`. Default `mobile` on iOS, `desktop` elsewhere.
    public var deviceType = GleapConfiguration.systemDevice
    /// How long one HTTP call may take, measured from its start to the end of the answer. Default 15 s. Below 1 ms counts
    /// as 1 ms.
    public var requestTimeout: Duration = .seconds(15)
    /// How often an operation is tried before it is given up. Default 8, about three minutes of backoff. Below 1 counts
    /// as 1. Only what may pass is tried again: network failures, timeouts, unreadable answers, HTTP 429 and 5xx.
    public var maximumAttempts = 8
    /// The socket's numbers. Its `backoff` and `retryRules` hold for the HTTP calls too.
    public var connection = Configuration.standard

    /// Makes a configuration with the defaults.
    public init(apiKey: String) { self.apiKey = apiKey }

    private static var systemName: String {
        #if os(iOS)
        "iOS"
        #elseif os(macOS)
        "macOS"
        #elseif os(Linux)
        "Linux"
        #else
        "Apple"
        #endif
    }

    private static var systemDevice: String {
        #if os(iOS)
        "mobile"
        #else
        "desktop"
        #endif
    }

    func check() throws(GleapError) {
        guard Credential.isUsable(apiKey) else {
            throw GleapError(.invalidConfiguration, "the API key is empty or holds more than visible ASCII characters")
        }
        let parts = URLComponents(url: apiURL, resolvingAgainstBaseURL: true)
        guard let parts, ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil
        else {
            throw GleapError(
                .invalidConfiguration,
                "the API base must be an http or https URL with a host, without user info, query and fragment")
        }
        do {
            _ = try ConnectionRequest(socketURL)
        } catch {
            throw GleapError(.invalidConfiguration, "the socket's URL cannot be used", underlying: error.message)
        }
    }
}

/// What a session is built from. Every part has a default that suits the platform.
public struct GleapOptions: Sendable {
    /// What the socket is built from. Its queue, time, generator, lifecycle and log serve the whole session.
    public var connection = Options()
    /// Makes the HTTP calls. Default: URLSession without cookies, cache and redirects.
    public var http: (any HTTPClient)?
    /// Keeps the identity. Default: on Linux a file (`FileIdentityStore.standardDirectory`), on Apple platforms
    /// `UserDefaults`.
    public var store: (any IdentityStore)?

    /// Makes the defaults.
    public init() {}
}

/// What may be put into a header or query as a credential.
enum Credential {
    /// Visible ASCII, so that it can break neither a header nor a log.
    static func isUsable(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
