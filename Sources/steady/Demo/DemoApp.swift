/// An app that lives through the script. Its methods are called one at a time.
protocol DemoApp: Sendable {
    func take(_ step: DemoScript.Step)
}

/// The stored user and the URL that comes of it, the same for both apps.
struct DemoUser {
    private(set) var name: String?

    /// What the step asks for; nil if it asks for nothing.
    mutating func asked(by step: DemoScript.Step) -> String? {
        switch step {
        case .sessionStart: return name ?? "anonymous"
        case .identify(let user):
            name = user
            return user
        case .launch, .background, .foreground, .terminate, .networkLost, .networkDead, .networkBack, .serverDown,
            .serverUp, .peerDies:
            return nil
        }
    }
}
