/// Why a peer could not do its part in a test. The description says what was awaited and what was seen instead.
package struct PeerError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
