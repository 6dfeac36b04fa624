// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Reactive", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    ],
    targets: [
        // The command: runs each test on the library and on the limit, sample by sample in turn, and prints both.
        .executableTarget(
            name: "benchmark",
            dependencies: [
                "CLimit",
                .product(name: "Reactive", package: "Reactive"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // What observing a whole graph costs, by its size.
        .executableTarget(
            name: "deep-observe",
            dependencies: ["CLimit", .product(name: "ReactiveCodable", package: "Reactive")]),

        // The limit: the same tests on a minimal C++ engine, behind a C interface.
        .target(name: "CLimit"),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx20
)
