public import Foundation

/// Keeps the identity in `UserDefaults`, which on Apple platforms lie in the app's own container.
public struct UserDefaultsIdentityStore: IdentityStore {
    /// The suite; nil is the app's own domain.
    public let suite: String?
    /// The key under which the identity is kept.
    public let key: String

    /// Makes a store.
    public init(suite: String? = nil, key: String = "GleapRealtime.identity") {
        self.suite = suite
        self.key = key
    }

    private func defaults() throws -> UserDefaults {
        guard let suite else { return .standard }
        guard let defaults = UserDefaults(suiteName: suite) else {
            throw GleapError(.storage, "there can be no UserDefaults suite of this name; choose another")
        }
        return defaults
    }

    /// What was saved last.
    public func load() throws -> Data? { try defaults().data(forKey: key) }
    /// Replaces it.
    public func save(_ data: Data) throws { try defaults().set(data, forKey: key) }
    /// Removes it.
    public func remove() throws { try defaults().removeObject(forKey: key) }
}
