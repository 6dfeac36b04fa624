// swift-tools-version: 6.2
// Compiles what the library has for SwiftUI where there is no SwiftUI, against modules that carry the names of Apple's and declare what
// the adapters use, as documented. It is no product, and a package of its own, because every other module would find these, too.
import PackageDescription

let package = Package(
    name: "SwiftUIStandIn",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    targets: [
        .target(name: "Combine", swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(name: "SwiftUI", dependencies: ["Combine"], swiftSettings: [.swiftLanguageMode(.v5)]),

        // The library itself: links to its sources.
        .target(name: "CReactive"),
        .target(name: "Reactive", dependencies: ["CReactive", "Combine", "SwiftUI"]),
        .target(name: "ReactiveHooks", dependencies: ["Reactive"]),
        .target(name: "ReactiveSwiftUI", dependencies: ["Reactive"]),
        .target(name: "ReactiveCodable", dependencies: ["Reactive"]),
        .target(name: "ReactiveAtoms", dependencies: ["Reactive", "ReactiveCodable"]),
        .target(name: "ReactiveAtomsHooks", dependencies: ["Reactive", "ReactiveAtoms", "ReactiveHooks"]),

        // The views of the app in Examples/SwiftUIHost.
        .target(
            name: "HostViews",
            dependencies: ["Reactive", "ReactiveAtomsHooks", "ReactiveHooks", "ReactiveSwiftUI", "SwiftUI"]),

        .testTarget(
            name: "AdapterTests",
            dependencies: ["HostViews", "ReactiveAtomsHooks", "ReactiveHooks", "ReactiveSwiftUI", "SwiftUI"]),
    ],
    swiftLanguageModes: [.v6]
)
