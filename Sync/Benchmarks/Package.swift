// swift-tools-version: 6.2
// The benchmarks of sharing a model: the figures in Sync's README.
import PackageDescription

let package = Package(
    name: "SyncBenchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Reactive", path: "../.."),
        .package(name: "Sync", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "SyncBenchmark",
            dependencies: [
                .product(name: "ReactiveSync", package: "Sync"), .product(name: "ReactivePostgres", package: "Sync"),
                .product(name: "ReactiveCollections", package: "Reactive"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
