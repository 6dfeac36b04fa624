// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "Reactive", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    ],
    targets: [
        // The command: runs each test on the library, the limit and the peers, sample by sample in turn, and prints the
        // results.
        .executableTarget(
            name: "benchmark",
            dependencies: [
                "CLimit", "Harness", "ByHandPeer", "ObservationPeer", "OpenCombinePeer",
                .product(name: "Reactive", package: "Reactive"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // Rows, sides, tables, pictures and the options of commands, independent of the library.
        .target(
            name: "Harness",
            dependencies: ["CLimit", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        .testTarget(name: "HarnessTests", dependencies: ["Harness"]),

        // The peers: each runs the rows that it can express.
        .target(name: "ByHandPeer", dependencies: ["CLimit", "Harness"], path: "Sources/Peers/ByHand"),
        .target(name: "ObservationPeer", dependencies: ["CLimit", "Harness"], path: "Sources/Peers/Observation"),
        .target(
            name: "OpenCombinePeer",
            dependencies: ["CLimit", "Harness", .product(name: "OpenCombine", package: "OpenCombine")],
            path: "Sources/Peers/OpenCombine"),

        // Operations of the modules above the core, each with a version that uses only the core; and the command that
        // prints their table.
        .target(
            name: "Workloads",
            dependencies: [
                "CLimit", "Harness",
                .product(name: "Reactive", package: "Reactive"),
                .product(name: "ReactiveAtoms", package: "Reactive"),
                .product(name: "ReactiveCodable", package: "Reactive"),
                .product(name: "ReactiveHooks", package: "Reactive"),
            ]),
        .executableTarget(
            name: "above",
            dependencies: [
                "Harness", "Workloads", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // The cost of observing a whole graph, by its size.
        .executableTarget(
            name: "deep-observe",
            dependencies: [
                "CLimit",
                .product(name: "ReactiveCodable", package: "Reactive"),
                .product(name: "ReactiveCollections", package: "Reactive"),
            ]),

        // The cost of one change of a collection, by its size.
        .executableTarget(
            name: "collections",
            dependencies: ["CLimit", .product(name: "ReactiveCollections", package: "Reactive")]),

        // One hot path of the library, repeated; and the check of the paths' cost in instructions and allocations.
        .executableTarget(
            name: "hot-path",
            dependencies: [
                "CAllocations", "CLimit", "Workloads",
                .product(name: "Reactive", package: "Reactive"),
                .product(name: "ReactiveCollections", package: "Reactive"),
            ],
            // Without debug information, because valgrind fails on an unknown form of it.
            linkerSettings: [.unsafeFlags(["-Xlinker", "-s"], .when(platforms: [.linux]))]),
        .target(name: "CAllocations"),
        .executableTarget(
            name: "budgets",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]),

        // The limit: the same tests on a minimal C++ engine, behind a C interface.
        .target(name: "CLimit"),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx20
)
