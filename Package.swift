// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Reactive",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .library(name: "Reactive", targets: ["Reactive"]),
        .library(name: "ReactiveCodable", targets: ["ReactiveCodable"]),
        .library(name: "ReactiveHooks", targets: ["ReactiveHooks"]),
        .library(name: "ReactiveSwiftUI", targets: ["ReactiveSwiftUI"]),
        .library(name: "ReactiveAtoms", targets: ["ReactiveAtoms"]),
        .library(name: "ReactiveAtomsTesting", targets: ["ReactiveAtomsTesting"]),
    ],
    targets: [
        // The library: typed, value-holding shells over a value-blind graph core.
        .target(name: "Reactive", dependencies: ["CReactive"]),
        // Thread-local context, atomics and thread parking, which Swift cannot express inline.
        .target(name: "CReactive"),
        // Observing, recording, replaying and saving object graphs through `Codable` alone.
        .target(name: "ReactiveCodable", dependencies: ["Reactive"]),
        // Recoil-style atoms and selectors in stores.
        .target(name: "ReactiveAtoms", dependencies: ["Reactive", "ReactiveCodable"]),
        // Scopes, stubs and simulated views for the tests of those who use them; needs no test framework.
        .target(name: "ReactiveAtomsTesting", dependencies: ["Reactive", "ReactiveAtoms"]),

        // Hooks on top of it: state, effects and asynchronous work for a render closure, in any host.
        .target(name: "ReactiveHooks", dependencies: ["Reactive"]),
        // The core in SwiftUI's views; empty elsewhere.
        .target(name: "ReactiveSwiftUI", dependencies: ["Reactive"]),

        // Examples. Each is small, runs on real input, and is tested.
        .target(name: "SheetCore", dependencies: ["Reactive"], path: "Examples/SheetCore"),
        .executableTarget(
            name: "Sheet", dependencies: ["SheetCore"], path: "Examples/Sheet", exclude: ["README.md"],
            resources: [.embedInCode("budget.csv")]),
        .target(name: "OutlineCore", dependencies: ["Reactive", "ReactiveCodable"], path: "Examples/OutlineCore"),
        .executableTarget(
            name: "Outline", dependencies: ["OutlineCore"], path: "Examples/Outline", exclude: ["README.md"],
            resources: [.embedInCode("moving.json")]),
        // One model in several processes.
        .target(name: "ReplicaCore", dependencies: ["Reactive", "ReactiveCodable"], path: "Examples/ReplicaCore"),
        .executableTarget(
            name: "Replicas", dependencies: ["ReplicaCore"], path: "Examples/Replicas", exclude: ["README.md"]),
        .target(
            name: "TourCore", dependencies: ["Reactive", "ReactiveCodable", "ReactiveHooks"], path: "Examples/TourCore"),
        .executableTarget(name: "Tour", dependencies: ["TourCore"], path: "Examples/Tour"),
        // Full-screen programs on a terminal, written with hooks.
        .target(name: "CTerminal", path: "Examples/CTerminal"),
        .target(name: "TerminalHost", dependencies: ["ReactiveHooks", "CTerminal"], path: "Examples/TerminalHost"),
        .target(name: "DashCore", dependencies: ["ReactiveHooks", "TerminalHost"], path: "Examples/DashCore"),
        .executableTarget(
            name: "Dash", dependencies: ["DashCore"], path: "Examples/Dash", exclude: ["README.md"]),

        // One test at a time, in all modules: the graph is one for the process.
        .target(name: "Exclusion", path: "Tests/Exclusion"),
        // The other end of a terminal, for the tests of programs that use the whole screen.
        .target(name: "PseudoTerminal", path: "Tests/PseudoTerminal"),
        .testTarget(
            name: "DashTests",
            dependencies: ["Dash", "DashCore", "TerminalHost", "PseudoTerminal", "TerminalVictim", "Exclusion"]),
        .executableTarget(
            name: "TerminalVictim", dependencies: ["ReactiveHooks", "TerminalHost"], path: "Tests/TerminalVictim"),
        .testTarget(
            name: "ReactiveAtomsTests", dependencies: ["ReactiveAtoms", "ReactiveAtomsTesting", "Exclusion"]),
        .testTarget(name: "OutlineTests", dependencies: ["Outline", "OutlineCore", "Exclusion"]),
        .testTarget(name: "ReactiveCodableTests", dependencies: ["ReactiveCodable", "Exclusion", "AutosaveVictim"]),
        // A program that the tests of saving kill.
        .executableTarget(name: "AutosaveVictim", dependencies: ["ReactiveCodable"], path: "Tests/AutosaveVictim"),
        .testTarget(name: "ReactiveHooksTests", dependencies: ["ReactiveHooks", "Exclusion"]),
        .testTarget(name: "ReactiveTests", dependencies: ["Reactive", "Exclusion"]),
        .testTarget(name: "ReplicaTests", dependencies: ["ReplicaCore", "Replicas", "ReactiveCodable", "Exclusion"]),
        .testTarget(name: "SheetTests", dependencies: ["SheetCore", "Exclusion"]),
        .testTarget(name: "TourTests", dependencies: ["Tour", "TourCore", "Exclusion"]),
    ],
    swiftLanguageModes: [.v6]
)
