import Foundation
import GleapRealtime
import SteadySocket
import SteadySocketTestKit
import Testing

/// What is kept from one process to the next, and how.
@Suite struct StoreTests {
    /// A directory of the test's own, removed at the end.
    private func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("gleap-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    private func mode(_ url: URL) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber)?.intValue
    }

    private func identified(_ store: any IdentityStore) throws {
        let rig = try Rig(store: store)
        rig.on { $0.start() }
        rig.answer(contact: 1)
        try rig.on { try $0.identify(GleapUser(id: "mary", hash: "proof", name: "Mary")) }
        rig.answer(contact: 2, user: "mary")
        rig.release()
    }

    @Test("restarted with a stored identity: the same contact, one socket, and the same identify makes no call")
    func restart() throws {
        let store = MemoryIdentityStore()
        try identified(store)
        let rig = try Rig(store: store)
        rig.on { $0.start() }
        #expect(rig.realtime?.session?.userID == "mary")
        let start = try #require(rig.http.exchanges.first)
        #expect(start.request.headers["Gleap-Id"] == "id2")
        #expect(start.request.headers["Gleap-Hash"] == "hash2")
        // The service is slow; the channel is known.
        rig.advance(.milliseconds(1500))
        #expect(rig.urls == [Rig.url(2)])
        try rig.on { try $0.identify(GleapUser(id: "mary", hash: "proof", name: "Mary")) }
        rig.answer(contact: 2, user: "mary")
        rig.advance(.seconds(60))
        #expect(rig.http.exchanges.count == 1)
        #expect(rig.sockets.count == 1)
    }

    @Test("a service that knows the contact by other credentials now is followed")
    func renewed() throws {
        let store = MemoryIdentityStore()
        try identified(store)
        let rig = try Rig(store: store)
        rig.on { $0.start() }
        rig.answer(contact: 7, user: "mary")
        rig.advance(.seconds(2))
        #expect(rig.urls == [Rig.url(7)])
        // Another contact was told nothing yet.
        try rig.on { try $0.identify(GleapUser(id: "mary", hash: "proof", name: "Mary")) }
        #expect(rig.http.exchanges.count == 2)
    }

    @Test("stored credentials that are refused: once without them; they are kept until that has succeeded")
    func refused() throws {
        let store = MemoryIdentityStore()
        try identified(store)
        let stored = store.load()
        let rig = try Rig(store: store)
        rig.on { $0.start() }
        rig.answer(401, "")
        #expect(rig.http.exchanges.count == 2)
        #expect(rig.http.exchanges[1].request.headers["Gleap-Id"] == nil)
        rig.answer(401, "")
        rig.advance(.seconds(3600))
        #expect(rig.http.exchanges.count == 2)
        #expect(store.load() == stored)
        rig.on { $0.start() }
        rig.answer(200, #"{"error":"unknown"}"#)
        rig.answer(contact: 3)
        rig.advance(.seconds(2))
        #expect(rig.urls.last == Rig.url(3))
        #expect(rig.realtime?.session?.userID == nil)
        #expect(store.load() != stored)
    }

    @Test("another project's identity is not used")
    func otherProject() throws {
        let store = MemoryIdentityStore()
        try identified(store)
        for change in [
            { @Sendable (it: inout GleapConfiguration) in it.apiKey = "other" },
            { @Sendable (it: inout GleapConfiguration) in it.apiURL = URL(string: "https://other.test")! },
        ] {
            let rig = try Rig(store: store, change: change)
            rig.on { $0.start() }
            #expect(rig.http.exchanges.first?.request.headers["Gleap-Id"] == nil)
            #expect(rig.realtime?.session == nil)
        }
    }

    @Test(
        "a damaged identity is said to be, and a fresh session takes its place",
        arguments: [
            "", "{", "[]", "null", #"{"version":1}"#, "\u{0}\u{FF}",
            #"{"version":2,"scope":"s","gleapID":"a","gleapHash":"b","fields":{},"told":{}}"#,
            #"{"version":1,"scope":"s","gleapID":"a b","gleapHash":"b","fields":{},"told":{}}"#,
        ])
    func damaged(text: String) async throws {
        let store = MemoryIdentityStore()
        store.save(Data(text.utf8))
        let rig = try Rig(store: store)
        rig.on { $0.start() }
        #expect(rig.http.exchanges.first?.request.headers["Gleap-Id"] == nil)
        rig.answer(contact: 1)
        rig.advance(.seconds(2))
        #expect(rig.urls == [Rig.url(1)])
        #expect(rig.log.withLock { $0 }.contains { $0.message == "identity not readable" })
        #expect(await rig.events().storageFailures == 1)
        #expect(store.load() != Data(text.utf8))
    }

    @Test("a store that always fails costs the memory, not the session")
    func failing() async throws {
        struct Failing: IdentityStore {
            struct Secret: Error, CustomStringConvertible { let description = "secret" }
            func load() throws -> Data? { throw Secret() }
            func save(_ data: Data) throws { throw Secret() }
            func remove() throws { throw Secret() }
        }
        let rig = try Rig(store: Failing())
        rig.startAsGuest()
        #expect(rig.urls == [Rig.url(1)])
        rig.on { $0.clearIdentity() }
        #expect(rig.realtime?.session == nil)
        let events = await rig.events()
        #expect(events.storageFailures == 3)
        #expect(!"\(events)".contains("secret"))
    }

    // MARK: The file

    @Test("the file is its owner's alone, whatever the umask, and replaced as a whole")
    func file() async throws {
        try await withDirectory { base in
            let directory = base.appendingPathComponent("deep/er")
            let store = FileIdentityStore(directory: directory)
            #expect(try store.load() == nil)
            try store.remove()
            try store.save(Data("one".utf8))
            let file = directory.appendingPathComponent("identity.json")
            #expect(try mode(file) == 0o600)
            #expect(try mode(directory) == 0o700)
            let reader = try FileHandle(forReadingFrom: file)
            try store.save(Data("two".utf8))
            // Whoever had the old file open still reads the old one: it was not written over.
            #expect(try reader.readToEnd() == Data("one".utf8))
            #expect(try store.load() == Data("two".utf8))
            #expect(try mode(file) == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["identity.json"])
            try store.remove()
            try store.remove()
            #expect(try store.load() == nil)
        }
    }

    @Test("a session is kept in the file from one process to the next")
    func fileRestart() async throws {
        try await withDirectory { directory in
            let store = FileIdentityStore(directory: directory)
            try identified(store)
            let rig = try Rig(store: store)
            rig.on { $0.start() }
            #expect(rig.http.exchanges.first?.request.headers["Gleap-Hash"] == "hash2")
        }
    }

    @Test("a directory or file that others can reach is refused with words that say what to do")
    func unsafe() async throws {
        try await withDirectory { directory in
            let manager = FileManager.default
            let store = FileIdentityStore(directory: directory)
            try manager.createDirectory(at: directory, withIntermediateDirectories: true)
            try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
            let wide = #expect(throws: GleapError.self) { try store.save(Data("x".utf8)) }
            #expect(wide?.code == .storage && wide?.message.contains("0700") == true)
            #expect(try manager.contentsOfDirectory(atPath: directory.path).isEmpty)

            try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: directory.path)
            let file = directory.appendingPathComponent("identity.json")
            try store.save(Data("x".utf8))
            try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            let readable = #expect(throws: GleapError.self) { try store.load() }
            #expect(readable?.message.contains("0600") == true)

            try store.remove()
            try Data("forged".utf8).write(to: base(directory))
            try manager.createSymbolicLink(at: file, withDestinationURL: base(directory))
            #expect(throws: GleapError.self) { try store.load() }
            // A save replaces the link, not what it points to.
            try store.save(Data("y".utf8))
            #expect(try Data(contentsOf: base(directory)) == Data("forged".utf8))
            #expect(try store.load() == Data("y".utf8))

            try store.remove()
            try manager.createDirectory(at: file, withIntermediateDirectories: false)
            #expect(throws: GleapError.self) { try store.load() }
            #expect(throws: GleapError.self) { try store.save(Data("z".utf8)) }
            #expect(throws: GleapError.self) { try store.remove() }
            let left = try manager.contentsOfDirectory(atPath: directory.path).sorted()
            #expect(left == ["elsewhere", "identity.json"])
        }
    }

    private func base(_ directory: URL) -> URL { directory.appendingPathComponent("elsewhere") }

    @Test("a directory that cannot be made is an error, and the session goes on")
    func noDirectory() async throws {
        let store = FileIdentityStore(directory: URL(fileURLWithPath: "/dev/null/gleap"))
        #expect(throws: GleapError.self) { try store.save(Data()) }
        let rig = try Rig(store: store)
        rig.startAsGuest()
        #expect(rig.urls == [Rig.url(1)])
    }

    @Test("UserDefaults keep it too")
    func defaults() throws {
        let suite = "GleapRealtimeTests.\(UUID().uuidString)"
        defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
        let store = UserDefaultsIdentityStore(suite: suite)
        #expect(try store.load() == nil)
        try store.save(Data("one".utf8))
        #expect(try UserDefaultsIdentityStore(suite: suite).load() == Data("one".utf8))
        try store.remove()
        #expect(try store.load() == nil)
    }
}
