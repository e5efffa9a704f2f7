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
/// Linux programs must not link FoundationNetworking; there the URLSession transport is built for its tests alone.
let onApple: TargetDependencyCondition? = .when(platforms: [.iOS, .macOS, .tvOS, .watchOS, .visionOS])

let package = Package(
    name: "SteadySocket",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "SteadySocket", targets: ["SteadySocket"]),
        // Linux only; for its options, such as a CA file or a proxy.
        .library(name: "CurlTransport", targets: ["CurlTransport"]),
        // For its options, such as a trust evaluator or a proxy. No transport for Linux.
        .library(name: "URLSessionTransport", targets: ["URLSessionTransport"]),
        .library(name: "SteadySocketTestKit", targets: ["SteadySocketTestKit", "SteadySocketURLSessionTestKit"]),
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
            name: "URLSessionTransport", dependencies: ["ConnectionCore", "SteadyTransport"], swiftSettings: settings),

        .target(
            name: "SteadySocket",
            dependencies: [
                "ConnectionCore", "SteadyTransport",
                .target(name: "URLSessionTransport", condition: onApple),
                .target(name: "CurlTransport", condition: onLinux),
                .target(name: "CNetlink", condition: onLinux),
            ],
            swiftSettings: settings,
            linkerSettings: [
                .linkedFramework("Network", .when(platforms: [.iOS, .macOS, .tvOS, .watchOS, .visionOS]))
            ]),
        .target(
            name: "SteadySocketTestKit",
            dependencies: ["ConnectionCore", "SteadyTransport", "SteadySocket"],
            swiftSettings: settings),
        // A URLSession that follows a script, under the real URLSession transport.
        .target(
            name: "SteadySocketURLSessionTestKit",
            dependencies: ["ConnectionCore", "SteadyTransport", "SteadySocket", "URLSessionTransport"],
            swiftSettings: settings),

        .target(
            name: "GleapRealtime", dependencies: ["ConnectionCore", "SteadyTransport", "SteadySocket"],
            swiftSettings: settings),

        .target(name: "ConnectionLedger", dependencies: ["ConnectionCore"], swiftSettings: settings),
        .target(
            name: "LedgerServer",
            dependencies: ["ConnectionCore", "ConnectionLedger", "WebSocketWire"],
            swiftSettings: settings),
        // Fleets of the shipping machine in virtual time.
        .target(name: "FleetSimulator", dependencies: ["ConnectionCore"], swiftSettings: settings),
        // Random worlds around the shipping connection, judged by its promises.
        .target(
            name: "WorldCheck",
            dependencies: ["ConnectionCore", "SteadyTransport", "SteadySocket", "SteadySocketTestKit"],
            swiftSettings: settings),
        .executableTarget(
            name: "steady",
            dependencies: [
                "FleetSimulator", "WorldCheck",
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
            name: "URLSessionTransportTests",
            dependencies: [
                "ConnectionCore", "SteadyTransport", "SteadySocket", "SteadySocketTestKit", "URLSessionTransport",
                "SteadySocketURLSessionTestKit",
            ],
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
                "steady", "WorldCheck", "ConnectionCore", "SteadyTransport", "SteadySocket", "SteadySocketTestKit",
                "ConnectionLedger", "LedgerServer", "RawClient", "WebSocketWire", "PeerSupport",
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
            name: "FleetSimulatorTests", dependencies: ["ConnectionCore", "FleetSimulator", "steady"],
            swiftSettings: settings),
        .testTarget(
            name: "WorldCheckTests", dependencies: ["ConnectionCore", "WorldCheck"], exclude: ["PlantedBugs"],
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

// STEADY_APPLE_STUBS=1 adds stand-ins for Apple's frameworks, so that what is behind `#if canImport(UIKit)` is compiled and
// tested on Linux (scripts/check apple). It needs a scratch path of its own: a module once built stays importable for
// every target. On a Mac the stand-ins would hide the real frameworks.
#if os(Linux)
if Context.environment["STEADY_APPLE_STUBS"] == "1" {
    // The last two are asked for by Testing wherever it meets a module of that name.
    let stubs = ["UIKit", "AppKit", "WatchKit", "Network", "_Testing_UIKit", "_Testing_AppKit"]
    // Every target that asks `canImport` must say so; otherwise the answer depends on the order of the build.
    let asking = ["SteadySocket"]
    package.targets.removeAll { $0.type == .test || $0.type == .executable }
    package.products.removeAll { $0 is Product.Executable }
    for target in package.targets where asking.contains(target.name) {
        target.dependencies += stubs.map { .byName(name: $0) }
    }
    package.targets += stubs.map { .target(name: $0, path: "Stubs/\($0)", swiftSettings: settings) }
    package.targets.append(
        .testTarget(
            name: "AppleTests",
            dependencies: ["ConnectionCore", "SteadyTransport", "SteadySocket", "SteadySocketTestKit"]
                + stubs.map { .byName(name: $0) },
            swiftSettings: settings))
}
#endif

// On a Mac, what Apple platforms build and test. The server, the tool and the libcurl transport need Linux.
#if !os(Linux)
let linuxOnly = [
    "CCurl", "CWslay", "CZlib", "CEpoll", "CNetlink", "CurlTransport", "LedgerServer", "steady", "PeerSupport",
    "RawClient", "conformance-client", "path-probe", "CurlTransportTests", "LedgerServerTests", "SteadyCommandTests",
    "IntegrationTests",
]
package.targets.removeAll { linuxOnly.contains($0.name) }
package.products.removeAll { linuxOnly.contains($0.name) }
for target in package.targets {
    target.dependencies.removeAll { dependency in
        switch dependency {
        case .targetItem(let name, _), .byNameItem(let name, _): linuxOnly.contains(name)
        default: false
        }
    }
}
#endif
