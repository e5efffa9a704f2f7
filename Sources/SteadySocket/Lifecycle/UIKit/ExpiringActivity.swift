#if canImport(UIKit)
import Dispatch
import Foundation
// Foundation alone on Apple platforms; the stand-in for tests adds what the Foundation of Linux lacks.
import UIKit

/// Background time where there is no app object to ask: app extensions and watchOS.
///
/// The system runs a block on a thread of its own for as long as the time is needed, and a second one when it wants the
/// time back, see
/// https://developer.apple.com/documentation/foundation/processinfo/performexpiringactivity(withreason:using:)
final class ExpiringActivity: Sendable {
    /// Signalled when the time is not needed any more.
    private let needed = Locked<DispatchSemaphore?>(nil)

    deinit { end() }

    func begin(expired: @escaping @Sendable () -> Void) {
        end()
        let over = DispatchSemaphore(value: 0)
        needed.withLock { $0 = over }
        ProcessInfo.processInfo.performExpiringActivity(withReason: "SteadySocket") { [weak self] isExpiring in
            // Bounded: the connection gives the time back at the end of its grace and closing handshake.
            guard isExpiring else { return over.wait() }
            guard let self, needed.withLock({ $0 === over }) else { return }
            expired()
            // The connection has done this already, unless it is gone.
            if needed.withLock({ $0 === over }) { end() }
        }
    }

    func end() {
        let over = needed.withLock { needed in
            defer { needed = nil }
            return needed
        }
        over?.signal()
    }
}
#endif
