// swift-tools-version: 6.2
// A test of the tests: changes the library in one small place at a time, and checks that a test notices.
import PackageDescription

let package = Package(
    name: "Mutants",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
    ],
    targets: [
        // The command.
        .executableTarget(
            name: "mutants",
            dependencies: [
                "MutantsCore", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // Finding mutants, building them into a copy of the sources, and running the tests against each.
        .target(
            name: "MutantsCore",
            dependencies: [
                .product(name: "SwiftOperators", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ]),
        .testTarget(name: "MutantsCoreTests", dependencies: ["MutantsCore"]),
    ],
    swiftLanguageModes: [.v6]
)
