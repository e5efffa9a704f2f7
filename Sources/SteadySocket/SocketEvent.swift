public import ConnectionCore
public import SteadyTransport

/// Something that happened to a connection, for those who need more than its status.
public enum SocketEvent: Sendable {
    /// The connection is doing something else now.
    case statusChanged(ConnectionStatus)
    /// A socket opened. `gap` is the time since the end of the one before, in which messages may have been missed; nil
    /// for the first.
    case opened(AttemptID, OpeningResult, gap: Duration?)
    /// A socket, or the attempt to open one, ended.
    case closed(AttemptID, TransportClose)
}

/// One line of the decision log: what the connection did and why.
public struct Decision: Sendable {
    /// What was decided or observed.
    public enum Kind: Sendable {
        /// The app asked for a channel.
        case asked(ChannelID)
        /// The connection is doing something else now.
        case status(ConnectionStatus)
        /// A ping went out.
        case ping(AttemptID)
        /// A socket opened.
        case opened(AttemptID, OpeningResult)
        /// A Close frame was ordered.
        case close(AttemptID, CloseCode, LocalCloseCause)
        /// A socket or attempt ended.
        case closed(AttemptID, TransportClose)
    }

    /// When, on the line of the connection's time source.
    public let at: Instant
    /// What.
    public let kind: Kind
}

extension Decision: CustomStringConvertible {
    /// One line without secrets.
    public var description: String {
        switch kind {
        case .asked(let channel): "asked for \(channel)"
        case .status(let status): "\(status)"
        case .ping(let attempt): "ping \(attempt)"
        case .opened(let attempt, let result):
            "opened \(attempt)" + (result.subprotocol.map { ", subprotocol \($0)" } ?? "")
        case .close(let attempt, let code, let cause): "close \(attempt) with \(code): \(cause)"
        case .closed(let attempt, let close): "closed \(attempt): \(close)"
        }
    }
}
