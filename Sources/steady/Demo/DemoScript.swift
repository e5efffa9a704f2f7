/// One hour of one app, in seconds from its start. Both ways of keeping a socket get the same calls and the same world.
struct DemoScript: Sendable {
    /// Something that happens to the app or to its world.
    enum Step: Sendable, Hashable {
        /// The process starts; in the background when a push wakes it.
        case launch(inBackground: Bool)
        /// The SDK's session start: asks for the channel of the stored user, or of nobody.
        case sessionStart
        /// The SDK's identify.
        case identify(String)
        case background
        case foreground
        /// The system ends the suspended process.
        case terminate
        case networkLost
        /// The network is lost, and what was under way on it never arrives.
        case networkDead
        case networkBack
        case serverDown
        case serverUp
        /// The peer of the open socket stops answering; nobody is told.
        case peerDies
    }

    struct Event: Sendable {
        let at: Double
        let step: Step
    }

    let events: [Event]
    let seconds: Double

    static let hour: DemoScript = {
        var events: [Event] = []
        func at(_ time: Double, _ steps: Step...) { events += steps.map { Event(at: time, step: $0) } }
        /// What the SDK does whenever the user comes: session start, then identify.
        func comes(_ time: Double, _ step: Step, _ user: String) {
            at(time, step, .sessionStart)
            at(time + 0.8, .identify(user))
        }
        comes(0, .launch(inBackground: false), "mary")
        // A glance at another app.
        at(95, .background)
        comes(101, .foreground, "mary")
        // A minute away.
        at(240, .background)
        comes(300, .foreground, "mary")
        at(330, .background)
        comes(338, .foreground, "mary")
        // A lift: twenty seconds without network.
        at(450, .networkLost)
        at(470, .networkBack)
        at(600, .background)
        at(880, .terminate)
        // A push starts the app in the background.
        at(900, .launch(inBackground: true), .sessionStart)
        at(930, .terminate)
        comes(1200, .launch(inBackground: false), "mary")
        // Another user logs in.
        at(1350, .identify("john"))
        at(1500, .background)
        comes(1505, .foreground, "john")
        // The service restarts and is away for two minutes.
        at(1700, .serverDown)
        at(1820, .serverUp)
        at(2100, .peerDies)
        at(2400, .background)
        comes(2403, .foreground, "john")
        // A tunnel: ninety seconds in which nothing gets through.
        at(2550, .networkDead)
        at(2640, .networkBack)
        at(2700, .background)
        comes(2900, .foreground, "john")
        at(3300, .background)
        at(3590, .terminate)
        return DemoScript(events: events, seconds: 3600)
    }()

    /// How often the user came: the segments in which the app was in the foreground.
    var foregroundSessions: Int { foreground.count }

    /// When the app was in the foreground.
    var foreground: [ClosedRange<Double>] {
        segments(from: [.foreground, .launch(inBackground: false)], to: .background)
    }

    /// When the service was away.
    var outages: [ClosedRange<Double>] { segments(from: [.serverDown], to: .serverUp) }

    /// When there was no network.
    var offline: [ClosedRange<Double>] { segments(from: [.networkLost, .networkDead], to: .networkBack) }

    private func segments(from starts: Set<Step>, to end: Step) -> [ClosedRange<Double>] {
        var segments: [ClosedRange<Double>] = []
        var start: Double?
        for event in events {
            if starts.contains(event.step) { start = start ?? event.at }
            if event.step == end, let begun = start {
                segments.append(begun...event.at)
                start = nil
            }
        }
        if let start { segments.append(start...seconds) }
        return segments
    }
}
