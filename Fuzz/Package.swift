// swift-tools-version: 6.2
import PackageDescription

// `.ci/fuzz` builds it, with the sanitizers that it needs.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "Reactive", path: "..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "ReactiveJSON", package: "Reactive"),
                .product(name: "ReactiveCodable", package: "Reactive"),
            ],
            // The entry point is that of libFuzzer. Its runtime wants a linker that keeps local symbols quiet.
            swiftSettings: [.unsafeFlags(["-parse-as-library"])],
            linkerSettings: [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))])
    ],
    swiftLanguageModes: [.v6]
)
