#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import ConnectionCore
internal import ConnectionLedger
internal import SteadySocket
internal import SteadyTransport

extension ConnectRecord {
    /// One JSON object on one line, with the keys that `steady connect --help` lists.
    func json(at time: WallTime) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, finite numbers and dates always encode.
        return String(decoding: try! encoder.encode(jsonLine(at: time)), as: UTF8.self)
    }

    private func jsonLine(at time: WallTime) -> JSONLine {
        var line = JSONLine(at: time)
        switch self {
        case .status(let status):
            line.kind = "status"
            line.text = status.description
            line.fill(status)
        case .opened(let attempt, let result, let gap):
            line.kind = "status"
            line.text = ConnectionStatus.open(attempt).description
            line.fill(.open(attempt))
            line.subprotocol = result.subprotocol
            line.extensions = result.extensions.isEmpty ? nil : result.extensions
            line.gap = gap?.inSeconds
        case .message(let message):
            line.kind = "message"
            line.bytes = message.byteCount
            switch message {
            case .text(let text): line.text = text
            case .binary(let data): line.binary = data
            }
        case .sent(let number, let bytes):
            line.kind = "sent"
            line.line = number
            line.bytes = bytes
        case .closed(let attempt, let close):
            line.kind = "closed"
            line.attempt = attempt.number
            line.why = close.reason.description
            line.code = close.closeCode.rawValue
            line.reason = close.closeReason.isEmpty ? nil : close.closeReason
            line.outcome = close.outcome?.description
            line.retryAfter = close.retryAfter?.inSeconds
            line.error = close.error?.code.rawValue
            line.message = close.error?.message
        case .unsent(let number, let why, let code):
            line.kind = "error"
            line.line = number
            line.message = why
            line.error = code?.rawValue
        case .app(let state):
            line.kind = "app"
            line.state = "\(state)"
        case .failure(let message):
            line.kind = "error"
            line.message = message
        case .decision(let decision):
            line.kind = "decision"
            line.seconds = (decision.at - .zero).inSeconds
            line.text = decision.description
        }
        return line
    }
}

/// Every key there is; those that are nil are left out.
private struct JSONLine: Encodable {
    var at: WallTime
    var kind = ""
    var attempt: UInt64?
    var binary: Data?
    var bytes: Int?
    var code: UInt16?
    var error: String?
    var extensions: String?
    var gap: Double?
    var line: Int?
    var message: String?
    var outcome: String?
    var reason: String?
    var retryAfter: Double?
    var seconds: Double?
    var state: String?
    var subprotocol: String?
    var text: String?
    var why: String?

    init(at: WallTime) { self.at = at }

    mutating func fill(_ status: ConnectionStatus) {
        switch status {
        case .idle: state = "idle"
        case .waiting(let reason, let delay, _):
            state = "waiting"
            why = reason.description
            seconds = delay.inSeconds
        case .opening(let attempt):
            state = "opening"
            self.attempt = attempt.number
        case .open(let attempt):
            state = "open"
            self.attempt = attempt.number
        case .closing(let attempt, let cause):
            state = "closing"
            self.attempt = attempt.number
            why = cause.description
        case .held(let reason):
            state = "held"
            why = reason.description
        }
    }
}
