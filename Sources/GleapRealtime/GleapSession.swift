/// Who this process is for the service. Its description shows none of it.
public struct GleapSession: Hashable, Sendable {
    /// The name of the contact. Half of the credentials.
    public let gleapID: String
    /// The proof that goes with it. A secret.
    public let gleapHash: String
    /// What the service said about the contact, without the credentials.
    public let fields: [String: JSONValue]

    /// The app's own name for the user; nil for a guest.
    public var userID: String? {
        guard let id = fields["userId"]?.string, !id.isEmpty else { return nil }
        return id
    }

    /// Makes a session.
    public init(gleapID: String, gleapHash: String, fields: [String: JSONValue] = [:]) {
        self.gleapID = gleapID
        self.gleapHash = gleapHash
        self.fields = fields
    }
}

extension GleapSession: CustomStringConvertible, CustomReflectable {
    /// Whether it is a user's or a guest's.
    public var description: String { userID == nil ? "guest session" : "user session" }
    /// No more than the description.
    public var customMirror: Mirror { Mirror(self, children: ["isUser": userID != nil]) }
}
