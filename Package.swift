// swift-tools-version: 6.2
// SteadySocket: one healthy WebSocket per foreground session and identity.

import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The libcurl transport exists on Linux only; Apple platforms use URLSession.
let onLinux: TargetDependencyCondition? = .when(platforms: [.linux])

let package = Package(
    name: "SteadySocket",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "SteadySocket", targets: ["SteadySocket"]),
        // Linux only; for its options, such as a CA file or a proxy.
        .library(name: "CurlTransport", targets: ["CurlTransport"]),
        .library(name: "SteadySocketTestKit", targets: ["SteadySocketTestKit"]),
        // The session layer of a support SDK on top, and an example of how an SDK uses the library.
        .library(name: "GleapRealtime", targets: ["GleapRealtime"]),
        .executable(name: "steady", targets: ["steady"]),
    ],
    targets: [
        .target(name: "ConnectionCore", swiftSettings: settings),
        .target(name: "SteadyTransport", dependencies: ["ConnectionCore"], swiftSettings: settings),
        .target(name: "WebSocketWire", swiftSettings: settings),

        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CWslay", providers: [.apt(["libwslay-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CNetlink", providers: [.apt(["linux-libc-dev"])]),
        .target(
            name: "CurlTransport",
            dependencies: [
                "ConnectionCore", "SteadyTransport", "WebSocketWire",
                .target(name: "CCurl", condition: onLinux),
                .target(name: "CWslay", condition: onLinux),
                .target(name: "CZlib", condition: onLinux),
                .target(name: "CEpoll", condition: onLinux),
            ],
            swiftSettings: settings),

        .target(
            name: "SteadySocket",
            dependencies: [
                "ConnectionCore", "SteadyTransport",
                .target(name: "CurlTransport", condition: onLinux),
                .target(name: "CNetlink", condition: onLinux),
            ],
            swiftSettings: settings),
        .target(
            name: "SteadySocketTestKit",
            dependencies: ["ConnectionCore", "SteadyTransport", "SteadySocket"],
            swiftSettings: settings),

        .target(
            name: "GleapRealtime", dependencies: ["ConnectionCore", "SteadyTransport", "SteadySocket"],
            swiftSettings: settings),

        .target(name: "ConnectionLedger", dependencies: ["ConnectionCore"], swiftSettings: settings),
        .target(
            name: "LedgerServer",
            dependencies: ["ConnectionCore", "ConnectionLedger", "WebSocketWire"],
            swiftSettings: settings),
        .executableTarget(
            name: "steady",
            dependencies: [
                "ConnectionCore", "SteadyTransport", "SteadySocket", "SteadySocketTestKit", "ConnectionLedger",
                "LedgerServer", "WebSocketWire", "GleapRealtime",
                .target(name: "CurlTransport", condition: onLinux),
            ],
            swiftSettings: settings),

        // Starts the Python peers of Tests/Peers and reads what they saw.
        .target(name: "PeerSupport", path: "Tests/PeerSupport", swiftSettings: settings),
        // A WebSocket client on a bare socket that can break every rule.
        .target(name: "RawClient", dependencies: ["WebSocketWire"], path: "Tests/RawClient", swiftSettings: settings),
        // Echo client for the conformance suite (scripts/conformance).
        .executableTarget(
            name: "conformance-client",
            dependencies: [
                "ConnectionCore", "SteadyTransport", .target(name: "CurlTransport", condition: onLinux),
            ],
            path: "Tests/ConformanceClient", swiftSettings: settings),
        // Prints the network path as JSON lines (scripts/test-netns).
        .executableTarget(
            name: "path-probe", dependencies: ["ConnectionCore", "SteadySocket"], path: "Tests/PathProbe",
            swiftSettings: settings),

        // An independent statement of the machine's rules, the invariants, and what walks them.
        .target(
            name: "ConnectionModel", dependencies: ["ConnectionCore"], path: "Tests/ConnectionModel",
            swiftSettings: settings),
        // Explores the machine from the command line: more events, replays, planted bugs (scripts/planted-bugs).
        .executableTarget(
            name: "explore", dependencies: ["ConnectionCore", "ConnectionModel"], path: "Tests/Explore",
            swiftSettings: settings),
        .testTarget(
            name: "ConnectionCoreTests", dependencies: ["ConnectionCore", "ConnectionModel"],
            exclude: ["PlantedBugs"], swiftSettings: settings),
        .testTarget(
            name: "SteadySocketTests",
            dependencies: ["ConnectionCore", "SteadyTransport", "SteadySocket", "SteadySocketTestKit"],
            swiftSettings: settings),
        .testTarget(
            name: "CurlTransportTests",
            dependencies: [
                "ConnectionCore", "SteadyTransport", "WebSocketWire", "PeerSupport",
                .target(name: "CurlTransport", condition: onLinux),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "LedgerServerTests",
            dependencies: [
                "ConnectionCore", "ConnectionLedger", "LedgerServer", "SteadyTransport", "WebSocketWire", "RawClient",
                .target(name: "CurlTransport", condition: onLinux),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SteadyCommandTests",
            dependencies: [
                "steady", "ConnectionCore", "SteadyTransport", "SteadySocket", "SteadySocketTestKit",
                "ConnectionLedger",
                "LedgerServer", "RawClient", "WebSocketWire", "PeerSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GleapRealtimeTests",
            dependencies: [
                "ConnectionCore", "SteadyTransport", "SteadySocket", "SteadySocketTestKit", "GleapRealtime",
                "PeerSupport", "steady",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "ConnectionCore", "SteadyTransport", "SteadySocket", "SteadySocketTestKit", "ConnectionLedger",
                "LedgerServer", "PeerSupport",
                .target(name: "CurlTransport", condition: onLinux),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
