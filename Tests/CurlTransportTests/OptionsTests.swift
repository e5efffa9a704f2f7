#if os(Linux)
import ConnectionCore
import Foundation
import SteadyTransport
import Testing

@testable import CurlTransport

/// Options that cannot work are refused when the transport is made, with words that say what to do.
@Suite struct OptionsTests {
    private func refusal(_ options: CurlTransport.Options) -> ConnectionError? {
        do throws(ConnectionError) {
            _ = try CurlTransport(options: options)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "http://127.0.0.1:3128", "http://user:p%40ss@proxy.example:3128", "https://proxy.example", "proxy.example:3128",
        "socks5://127.0.0.1:1080", "socks5h://u:p@[::1]:1080", "socks4://a", "SOCKS4A://a", "",
    ])
    func proxiesOfEveryKindAreTaken(proxy: String) {
        #expect(refusal(.init(proxy: proxy)) == nil)
    }

    @Test(arguments: [
        "ftp://proxy.example", "ws://proxy.example", "http://", "http://user:secret@", "http://user:secret@:80",
        "http://user:secret@a:99999", "http://user:secret@a:port", "http://user:sec ret@a", "http://a\r\nb",
        "socks5://[::1", "http://[::1]:0",
    ])
    func proxiesThatCannotWorkAreRefusedWithoutRepeatingThem(proxy: String) throws {
        let error = try #require(refusal(.init(proxy: proxy)))
        #expect(error.code == .invalidOption)
        #expect(error.message.contains("proxy"))
        #expect(!error.description.contains("secret"))
    }

    @Test func aCAFileMustHoldCertificates() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("steady-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let missing = try #require(refusal(.init(caFile: folder.appendingPathComponent("none.pem").path)))
        #expect(missing.code == .invalidOption)
        #expect(missing.message.contains("none.pem"))
        let empty = folder.appendingPathComponent("empty.pem")
        try Data("nothing\n".utf8).write(to: empty)
        #expect(refusal(.init(caFile: empty.path))?.message.contains("no certificate") == true)
        #expect(refusal(.init(caFile: folder.path)) != nil, "a folder is not a file")
    }

    @Test func thePasswordOfTheProxyIsNotShown() {
        let options = CurlTransport.Options(proxy: "http://user:hunter2@proxy.example:3128")
        var dumped = ""
        dump(options, to: &dumped)
        #expect(!("\(options)" + String(reflecting: options) + dumped).contains("hunter2"))
        #expect("\(options)".contains("proxy: …"))
    }

    @Test func addressesMustBeNumeric() {
        #expect(refusal(.init(addresses: ["a.example": "127.0.0.1", "b.example": "::1"])) == nil)
        #expect(refusal(.init(addresses: ["a.example": "b.example"]))?.code == .invalidOption)
    }
}
#endif
