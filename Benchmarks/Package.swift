// swift-tools-version: 6.2
// What SteadySocket costs. scripts/bench builds and runs this and compares it with the targets.

import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "SteadySocket", path: "..")],
    targets: [
        // Replaces malloc in the executable that links it; only MachineBench does.
        .target(name: "CAllocationCounter"),
        .executableTarget(
            name: "MachineBench",
            dependencies: [
                "CAllocationCounter",
                .product(name: "SteadySocket", package: "SteadySocket"),
                .product(name: "SteadySocketTestKit", package: "SteadySocket"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "SocketBench",
            dependencies: [
                .product(name: "SteadySocket", package: "SteadySocket"),
                .product(name: "CurlTransport", package: "SteadySocket", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
