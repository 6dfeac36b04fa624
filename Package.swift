// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Reactive",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .library(name: "Reactive", targets: ["Reactive"]),
        .library(name: "ReactiveHooks", targets: ["ReactiveHooks"]),
    ],
    targets: [
        // The library: typed, value-holding shells over a value-blind graph core.
        .target(name: "Reactive", dependencies: ["CReactive"]),
        // Thread-local context, atomics and thread parking, which Swift cannot express inline.
        .target(name: "CReactive"),

        // Hooks on top of it: state, effects and asynchronous work for a render closure, in any host.
        .target(name: "ReactiveHooks", dependencies: ["Reactive"]),

        // Examples. Each is small, runs on real input, and is tested.
        .target(name: "SheetCore", dependencies: ["Reactive"], path: "Examples/SheetCore"),
        .executableTarget(
            name: "Sheet", dependencies: ["SheetCore"], path: "Examples/Sheet", exclude: ["README.md"],
            resources: [.embedInCode("budget.csv")]),
        .target(name: "TourCore", dependencies: ["Reactive"], path: "Examples/TourCore"),
        .executableTarget(name: "Tour", dependencies: ["TourCore"], path: "Examples/Tour"),

        .testTarget(name: "ReactiveTests", dependencies: ["Reactive"]),
        .testTarget(name: "ReactiveHooksTests", dependencies: ["ReactiveHooks"]),
        .testTarget(name: "SheetTests", dependencies: ["SheetCore"]),
        .testTarget(name: "TourTests", dependencies: ["Tour", "TourCore"]),
    ],
    swiftLanguageModes: [.v6]
)
