// swift-tools-version: 6.2
// A small app for the real SwiftUI: `swift run --package-path Examples/SwiftUIHost` on macOS. For simulators, see
// .github/workflows/ci.yml.
import PackageDescription

let package = Package(
    name: "SwiftUIHost",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .visionOS(.v1)],
    dependencies: [.package(name: "Reactive", path: "../..")],
    targets: [
        // The views, and their expected texts after each step. The tests in Tests/SwiftUIStandIn compile and run these,
        // too.
        .target(
            name: "HostViews",
            dependencies: [
                .product(name: "Reactive", package: "Reactive"),
                .product(name: "ReactiveHooks", package: "Reactive"),
                .product(name: "ReactiveAtomsHooks", package: "Reactive"),
                .product(name: "ReactiveSwiftUI", package: "Reactive"),
            ]),
        // Shows the views in a window and runs the steps.
        .target(name: "HostWindow", dependencies: ["HostViews"]),
        .executableTarget(
            name: "SwiftUIHost",
            dependencies: ["HostViews", "HostWindow", .product(name: "Reactive", package: "Reactive")]),
        .testTarget(name: "HostTests", dependencies: ["HostWindow"]),
    ],
    swiftLanguageModes: [.v6]
)
