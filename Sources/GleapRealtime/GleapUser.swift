/// Who uses the app, for `identify(_:)`.
public struct GleapUser: Hashable, Sendable {
    /// The app's own name for the user. Not empty.
    public var id: String
    /// Proof, made by the app's server, that the user is this one; nil if the project asks for none. A secret.
    public var hash: String?
    /// What is known about the user.
    public var contact: GleapContact

    /// Makes a user.
    public init(id: String, hash: String? = nil, contact: GleapContact = GleapContact()) {
        self.id = id
        self.hash = hash
        self.contact = contact
    }

    /// Makes a user.
    public init(
        id: String, hash: String? = nil, name: String? = nil, email: String? = nil,
        customData: [String: JSONValue] = [:]
    ) {
        self.init(id: id, hash: hash, contact: GleapContact(name: name, email: email, customData: customData))
    }

    func fields() throws(GleapError) -> [String: JSONValue] {
        guard !id.isEmpty else {
            throw GleapError(.invalidUser, "the user id is empty; call clearIdentity() when nobody is logged in")
        }
        var fields = try contact.fields()
        fields["userId"] = .string(id)
        fields["userHash"] = hash.map { .string($0) }
        return fields
    }
}

extension GleapUser: CustomStringConvertible, CustomReflectable {
    /// Nothing about the person.
    public var description: String { "user" }
    /// Nothing about the person.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What is known about a contact. Fields that are nil are not sent and stay as they are at the service.
public struct GleapContact: Hashable, Sendable {
    /// The name to show.
    public var name: String?
    /// The address for answers.
    public var email: String?
    /// The number for calls.
    public var phone: String?
    /// Fields of the app's own. They are sent beside the others, as the service expects it, so they cannot have the
    /// names of those: see `reservedNames`.
    public var customData: [String: JSONValue]

    /// Names that custom data cannot have.
    public static let reservedNames: Set<String> = [
        "userId", "userHash", "gleapId", "gleapHash", "name", "email", "phone", "lang", "platform", "deviceType",
        "customData", "error", "errors",
    ]

    /// Makes a contact.
    public init(
        name: String? = nil, email: String? = nil, phone: String? = nil, customData: [String: JSONValue] = [:]
    ) {
        self.name = name
        self.email = email
        self.phone = phone
        self.customData = customData
    }

    func fields() throws(GleapError) -> [String: JSONValue] {
        if let name = customData.keys.filter(Self.reservedNames.contains).min() {
            throw GleapError(.invalidUser, "custom data cannot have the name \(name), which has a meaning of its own")
        }
        guard customData.values.allSatisfy(\.isFinite) else {
            throw GleapError(.invalidUser, "custom data holds an infinite number or NaN, which JSON cannot write")
        }
        var fields = customData
        for (key, value) in [("name", name), ("email", email), ("phone", phone)] {
            if let value { fields[key] = .string(value) }
        }
        return fields
    }
}

extension GleapContact: CustomStringConvertible, CustomReflectable {
    /// Nothing about the person.
    public var description: String { "contact" }
    /// Nothing about the person.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
