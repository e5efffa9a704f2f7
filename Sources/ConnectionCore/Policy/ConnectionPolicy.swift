/// The rules, each a function of its arguments alone. The machine calls these; so can anyone else.
public enum ConnectionPolicy {
    /// What to do about the channel that is asked for.
    public enum ConnectDecision: Hashable, Sendable {
        /// No channel is asked for.
        case nothing
        /// The live socket already serves the channel.
        case keep
        /// Not now.
        case wait(HoldReason)
        /// Open a socket; a live one for another channel closes first, with 1000.
        case connect
    }

    /// Decides what to do about the channel that is asked for.
    ///
    /// - Parameters:
    ///   - asked: the channel the app asked for last, nil if none.
    ///   - live: the channel of the socket that is opening or open, nil if there is none.
    ///   - app: where the app is; launched into the background counts as background.
    ///   - network: what is known about the network; a loopback host needs none.
    public static func connectDecision(
        asked: ChannelID?, live: ChannelID?, app: AppState, network: NetworkPath
    ) -> ConnectDecision {
        guard let asked else { return .nothing }
        if asked == live { return .keep }
        if app == .background { return .wait(.background) }
        if network == .offline, asked.needsNetwork { return .wait(.offline) }
        return .connect
    }

    /// The code a Close frame of this side carries.
    public static func closeCode(for cause: LocalCloseCause) -> CloseCode {
        switch cause {
        case .replaced, .disconnected, .released, .unresponsive: .normalClosure
        case .stayedInBackground, .exiting: .goingAway
        }
    }

    /// Whether the failures before an attempt are forgotten when it ends.
    ///
    /// - Parameters:
    ///   - messageArrived: whether the socket delivered a message.
    ///   - openFor: how long the socket was open; nil if it never opened.
    ///   - reason: how the attempt ended.
    ///   - configuration: the numbers and rules.
    public static func backoffStartsOver(
        messageArrived: Bool, openFor: Duration?, after reason: DisconnectReason, configuration: Configuration
    ) -> Bool {
        startsOver(
            messageArrived: messageArrived, openFor: openFor?.inNanoseconds,
            configuration.retryRules.rule(for: reason).ladder, afterMessage: configuration.startOver.afterMessage,
            afterOpenFor: configuration.startOver.afterOpenFor?.inNanoseconds)
    }

    /// The same with what a configuration says looked up, and in nanoseconds.
    static func startsOver(
        messageArrived: Bool, openFor: Int64?, _ ladder: RetryRules.Ladder, afterMessage: Bool, afterOpenFor: Int64?
    ) -> Bool {
        let longEnough = if let openFor, let needed = afterOpenFor { openFor >= needed } else { false }
        switch ladder {
        case .mayStartOver: return longEnough || (messageArrived && afterMessage)
        case .mayStartOverAfterUptime: return longEnough
        case .kept: return false
        }
    }

    /// When to try again after a socket or an attempt ended by itself.
    public enum Reconnect: Hashable, Sendable {
        /// After this time, for this reason; `refresh` says that the request provider is told of a refusal.
        case after(Duration, WaitReason, refresh: Bool)
        /// Not before the next ask or return to the foreground.
        case hold
    }

    /// The longest `Retry-After` that is obeyed.
    public static let longestRetryAfter: Duration = .seconds(300)

    /// Decides when to try again.
    ///
    /// - Parameters:
    ///   - reason: how the attempt ended.
    ///   - retryAfter: the `Retry-After` the server sent, nil if none.
    ///   - failure: how many failures in a row this makes, counted from 1.
    ///   - refusals: how many refusals of the credentials in a row this makes, counted from 1.
    ///   - configuration: the numbers and rules.
    ///   - generator: where the jitter comes from.
    public static func reconnect(
        after reason: DisconnectReason, retryAfter: Duration?, failure: Int, refusals: Int,
        configuration: Configuration, using generator: inout some RandomNumberGenerator
    ) -> Reconnect {
        let next = retry(
            configuration.retryRules.rule(for: reason).action, after: reason, retryAfter: retryAfter?.inNanoseconds,
            failure: failure, refusals: refusals, backoff: configuration.backoff.bounds(forFailure: failure),
            debounce: max(0, configuration.foregroundDebounce.inNanoseconds), using: &generator)
        return switch next {
        case .after(let delay, let why, let refresh): .after(.nanoseconds(delay), why, refresh: refresh)
        case .hold: .hold
        }
    }

    /// `Reconnect` in nanoseconds.
    enum Retry {
        case after(Int64, WaitReason, refresh: Bool)
        case hold
    }

    /// The same with what a configuration says looked up, and in nanoseconds: arithmetic with `Duration` takes longer than
    /// the rest of an event.
    static func retry(
        _ action: RetryRules.Action, after reason: DisconnectReason, retryAfter: Int64?, failure: Int, refusals: Int,
        backoff bounds: @autoclosure () -> ClosedRange<Int64>, debounce: Int64,
        using generator: inout some RandomNumberGenerator
    ) -> Retry {
        switch action {
        case .backoff:
            return .after(bounds().uniform(using: &generator), .backoff(failure: failure, reason), refresh: false)
        case .wait(let range):
            return .after(draw(from: range, using: &generator), .server(reason), refresh: false)
        case .retryAfter:
            let asked = min(max(retryAfter ?? 0, 0), longestRetryAfter.inNanoseconds)
            guard asked > 0 else {
                return .after(bounds().uniform(using: &generator), .backoff(failure: failure, reason), refresh: false)
            }
            // Never zero, so that no one comes back exactly when told.
            let extra = (1...asked).uniform(using: &generator)
            return .after(asked + extra, .server(reason), refresh: false)
        case .reconnect:
            return .after(debounce, .replacement, refresh: false)
        case .refresh:
            guard refusals < 2 else { return .hold }
            return .after(bounds().uniform(using: &generator), .refresh(reason), refresh: true)
        case .hold:
            return .hold
        }
    }

    /// A time drawn uniformly from the range, both ends included, in nanoseconds.
    static func draw(from range: ClosedRange<Duration>, using generator: inout some RandomNumberGenerator) -> Int64 {
        let low = max(0, range.lowerBound.inNanoseconds)
        return (low...max(low, range.upperBound.inNanoseconds)).uniform(using: &generator)
    }
}
