import ConnectionCore

/// One line for a log. Messages are constant, values are in the metadata, nothing is more severe than `info`, and no
/// value holds a query string, a header value or a close reason sent by a peer. See `docs/logging.md`.
public struct LogEntry: Sendable {
    /// How much a line matters.
    public enum Level: String, Hashable, Sendable {
        /// For those who look for the cause of something.
        case debug
        /// Opens and ends of sockets.
        case info
    }

    /// How much it matters.
    public let level: Level
    /// A constant text.
    public let message: String
    /// Values by dotted key; `connection.id` is always there, `attempt.id` wherever there is an attempt.
    public let metadata: [String: String]

    package init(level: Level, message: String, metadata: [String: String]) {
        self.level = level
        self.message = message
        self.metadata = metadata
    }
}

extension Decision {
    func logEntry(connection: UInt64) -> LogEntry {
        var metadata = ["connection.id": String(connection)]
        var level = LogEntry.Level.debug
        let message: String
        func note(_ attempt: AttemptID) { metadata["attempt.id"] = String(attempt.number) }
        switch kind {
        case .asked(let channel):
            message = "channel asked for"
            metadata["channel.origin"] = channel.origin
        case .status(let status):
            message = "status changed"
            metadata["status"] = status.description
        case .ping(let attempt):
            message = "ping sent"
            note(attempt)
        case .opened(let attempt, let result):
            message = "socket opened"
            level = .info
            note(attempt)
            metadata["subprotocol"] = result.subprotocol
        case .close(let attempt, let code, let cause):
            message = "socket closing"
            note(attempt)
            metadata["close.code"] = code.description
            metadata["close.cause"] = cause.description
        case .closed(let attempt, let close):
            message = "socket ended"
            level = .info
            note(attempt)
            metadata["reason"] = close.reason.description
            metadata["close.code"] = close.closeCode.description
            metadata["close.outcome"] = close.outcome?.description
            metadata["error.code"] = close.error?.code.rawValue
        }
        return LogEntry(level: level, message: message, metadata: metadata)
    }
}
