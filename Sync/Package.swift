// swift-tools-version: 6.2
// One model in several processes, in a package of its own: only those who share models depend on it.
import PackageDescription

let package = Package(
    name: "Sync",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "ReactiveSync", targets: ["ReactiveSync"]),
        .library(name: "ReactivePostgres", targets: ["ReactivePostgres"]),
    ],
    dependencies: [
        .package(name: "Reactive", path: ".."),
        .package(url: "https://github.com/apple/swift-collections", from: "1.2.0"),
    ],
    targets: [
        // The replica of a model and the protocol of logs; knows no engine.
        .target(
            name: "ReactiveSync",
            dependencies: [
                .product(name: "ReactiveCodable", package: "Reactive"),
                .product(name: "ReactiveCollections", package: "Reactive"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
            ]),
        // A log in PostgreSQL, over libpq.
        .target(name: "ReactivePostgres", dependencies: ["ReactiveSync", "CPostgres"]),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

        // A log in memory with faults, models, random edits; a PostgreSQL server of the tests' own.
        .target(
            name: "SyncTestSupport",
            dependencies: ["ReactiveSync", .product(name: "ReactiveCollections", package: "Reactive")],
            path: "Tests/SyncTestSupport"),
        // An example: notes in several processes, and a log of its own, in a file.
        .target(name: "FileLog", dependencies: ["ReactiveSync"], path: "Examples/Replicas/FileLog"),
        .executableTarget(
            name: "Replicas",
            dependencies: [
                "FileLog", "ReactiveSync", .product(name: "ReactiveCollections", package: "Reactive"),
                .product(name: "ReactiveCodable", package: "Reactive"),
            ],
            path: "Examples/Replicas", exclude: ["FileLog", "README.md"]),
        .testTarget(
            name: "ReplicasTests", dependencies: ["FileLog", "Replicas", "ReactiveSync", "SyncTestSupport"]),
        .testTarget(name: "ReactiveSyncTests", dependencies: ["ReactiveSync", "SyncTestSupport"]),
        .testTarget(
            name: "ReactivePostgresTests",
            dependencies: [
                "ReactivePostgres", "ReactiveSync", "SyncTestSupport", "SyncPeer",
                .product(name: "ReactiveCodable", package: "Reactive"),
                .product(name: "ReactiveCollections", package: "Reactive"),
            ]),
        // A program that the tests kill.
        .executableTarget(
            name: "SyncPeer", dependencies: ["ReactivePostgres", "ReactiveSync", "SyncTestSupport"],
            path: "Tests/SyncPeer"),
    ],
    swiftLanguageModes: [.v6]
)

#if os(Linux)
// Simulated worlds: a program, and the functions of the system that it replaces. The tests start the program. They do
// not depend on it, because that would link them with those functions.
package.targets += [
    .executableTarget(
        name: "Worlds",
        dependencies: [
            "ReactiveSync", "SyncTestSupport", "WorldSystem",
            .product(name: "ReactiveCodable", package: "Reactive"),
            .product(name: "ReactiveCollections", package: "Reactive"),
        ],
        path: "Tests/Worlds"),
    .target(name: "WorldSystem", path: "Tests/WorldSystem"),
    .testTarget(name: "WorldTests", dependencies: ["SyncTestSupport"]),
]
#endif

// With REACTIVE_POSTGRES=none in the environment, the package is what it is without libpq.
if Context.environment["REACTIVE_POSTGRES"] == "none" {
    package.products.removeAll { $0.name == "ReactivePostgres" }
    package.targets.removeAll { $0.name.contains("Postgres") || $0.name == "SyncPeer" }
}
