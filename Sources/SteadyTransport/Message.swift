#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One whole WebSocket message (RFC 6455 section 5.6), fragments already joined.
public enum Message: Hashable, Sendable {
    /// A text message. What arrives is valid UTF-8 or the socket closes with 1007.
    case text(String)
    /// A binary message.
    case binary(Data)

    /// The size of the payload in bytes, before compression.
    public var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
    }
}
