#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import SteadySocket

/// Keeps the identity of a session from one start of the process to the next.
///
/// What is kept holds credentials: nobody but the user may be able to read it. Called on the session's queue, one call at
/// a time; the data is small.
public protocol IdentityStore: Sendable {
    /// What was saved last; nil if nothing was, or it was removed.
    func load() throws -> Data?
    /// Replaces what was saved, wholly or not at all.
    func save(_ data: Data) throws
    /// Removes what was saved. Nothing there is no error.
    func remove() throws
}

/// Forgets everything with the process.
public final class MemoryIdentityStore: IdentityStore {
    private let data = Locked<Data?>(nil)

    /// Makes an empty store.
    public init() {}

    /// What was saved last.
    public func load() -> Data? { data.withLock { $0 } }
    /// Replaces it.
    public func save(_ data: Data) { self.data.withLock { $0 = data } }
    /// Removes it.
    public func remove() { data.withLock { $0 = nil } }
}

/// What is kept.
struct StoredIdentity: Hashable, Codable {
    /// The form of this record.
    var version = 1
    /// For which project at which service it holds.
    var scope: String
    var gleapID: String
    var gleapHash: String
    var fields: [String: JSONValue]
    /// What the service was told of this contact and has acknowledged.
    var told: [String: JSONValue]

    init(scope: String, session: GleapSession, told: [String: JSONValue]) {
        self.scope = scope
        (gleapID, gleapHash, fields) = (session.gleapID, session.gleapHash, session.fields)
        self.told = told
    }

    var session: GleapSession { GleapSession(gleapID: gleapID, gleapHash: gleapHash, fields: fields) }

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try encoder.encode(self)
    }

    /// Nil if the record is another project's.
    static func decode(_ data: Data, scope: String) throws(GleapError) -> StoredIdentity? {
        guard let stored = try? JSONDecoder().decode(StoredIdentity.self, from: data), stored.version == 1,
            Credential.isUsable(stored.gleapID), Credential.isUsable(stored.gleapHash)
        else {
            throw GleapError(.storage, "the stored identity is damaged; a fresh session takes its place")
        }
        return stored.scope == scope ? stored : nil
    }
}
