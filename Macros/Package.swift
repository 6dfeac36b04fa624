// swift-tools-version: 6.2
// Macros for models, in a separate package, so that only their users depend on swift-syntax.
import CompilerPluginSupport
import PackageDescription

let package = Package(
    name: "Macros",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [.library(name: "ReactiveMacros", targets: ["ReactiveMacros"])],
    dependencies: [
        .package(name: "Reactive", path: ".."),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
    ],
    targets: [
        // The module for users: the macros' declarations, and `Reactive`.
        .target(
            name: "ReactiveMacros",
            dependencies: ["ReactiveMacrosPlugin", .product(name: "Reactive", package: "Reactive")]),
        // The program that the compiler runs to expand them.
        .macro(
            name: "ReactiveMacrosPlugin",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ]),
        .testTarget(
            name: "ReactiveMacrosTests",
            dependencies: [
                "ReactiveMacros", "ReactiveMacrosPlugin",
                .product(name: "ReactiveCodable", package: "Reactive"),
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
