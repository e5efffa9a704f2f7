/// Where the app is, as far as sockets are concerned. An inactive app (a system alert on top) is in the foreground.
public enum AppState: Hashable, CaseIterable, Sendable {
    /// The user sees the app, or the process has no such notion.
    case foreground
    /// The app was sent to the background, or launched into it.
    case background
}
