// swift-tools-version: 6.2
import PackageDescription

// `.ci/fuzz` builds this package with the necessary sanitizers.
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
            // libFuzzer has the entry point. The linker is lld: gold, the toolchain's default on x86-64, warns about
            // symbols of the address sanitizer's runtime.
            swiftSettings: [.unsafeFlags(["-parse-as-library"])],
            linkerSettings: [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))])
    ],
    swiftLanguageModes: [.v6]
)
