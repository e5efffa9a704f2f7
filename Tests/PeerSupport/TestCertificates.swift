import Foundation

/// The files a TLS server needs.
package struct ServerCertificate: Sendable {
    /// Path of the server's certificate (PEM).
    package let chain: String
    /// Path of its private key (PEM).
    package let key: String
}

/// A certificate authority made for one test, and server certificates it signed, as files that go with this object.
package final class TestCertificates: Sendable {
    /// Path of the authority's certificate (PEM); nobody else trusts it.
    package let authority: String
    /// Valid for `localhost`, `127.0.0.1` and `::1`.
    package let valid: ServerCertificate
    /// In date, but for `elsewhere.example`.
    package let wrongHost: ServerCertificate
    /// For `localhost` and `127.0.0.1`, but it ended yesterday.
    package let expired: ServerCertificate
    private let folder: URL

    package init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("steady-ca-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        authority = folder.appendingPathComponent("ca.pem").path
        try openssl(
            ["req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=SteadySocket test authority"] + newKey(folder, "ca")
                + ["-addext", "keyUsage=critical,keyCertSign", "-out", authority])
        let local = "DNS:localhost,IP:127.0.0.1,IP:::1"
        valid = try Self.sign("valid", names: local, days: 2, serial: 2, in: folder)
        wrongHost = try Self.sign("wrong-host", names: "DNS:elsewhere.example", days: 2, serial: 3, in: folder)
        expired = try Self.sign("expired", names: local, days: -1, serial: 4, in: folder)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private static func sign(
        _ name: String, names: String, days: Int, serial: Int, in folder: URL
    ) throws -> ServerCertificate {
        let path = { folder.appendingPathComponent($0).path }
        try openssl(["req", "-nodes", "-subj", "/CN=\(name)", "-out", path("\(name).csr")] + newKey(folder, name))
        try Data("subjectAltName=\(names)\nextendedKeyUsage=serverAuth\n".utf8)
            .write(to: folder.appendingPathComponent("\(name).ext"))
        try openssl([
            "x509", "-req", "-in", path("\(name).csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"),
            "-set_serial", "\(serial)", "-days", "\(days)", "-extfile", path("\(name).ext"),
            "-out", path("\(name).pem"),
        ])
        return ServerCertificate(chain: path("\(name).pem"), key: path("\(name).key"))
    }
}

private func newKey(_ folder: URL, _ name: String) -> [String] {
    [
        "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout",
        folder.appendingPathComponent("\(name).key").path,
    ]
}

private func openssl(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        let command = arguments.first ?? ""
        throw PeerError("openssl \(command) failed (is openssl installed?): \(String(decoding: said, as: UTF8.self))")
    }
}
