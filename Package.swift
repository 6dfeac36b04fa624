// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Reactive",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .library(name: "Reactive", targets: ["Reactive", "_ReactiveDiagnostics"]),
        .library(name: "ReactiveCollections", targets: ["ReactiveCollections"]),
        .library(name: "ReactiveInspector", targets: ["ReactiveInspector"]),
        .library(name: "ReactiveCodable", targets: ["ReactiveCodable"]),
        .library(name: "ReactiveJSON", targets: ["ReactiveJSON"]),
        .library(name: "ReactiveHooks", targets: ["ReactiveHooks"]),
        .library(name: "ReactiveCollectionsHooks", targets: ["ReactiveCollectionsHooks"]),
        .library(name: "ReactiveSwiftUI", targets: ["ReactiveSwiftUI"]),
        .library(name: "ReactiveAtoms", targets: ["ReactiveAtoms"]),
        .library(name: "ReactiveAtomsTesting", targets: ["ReactiveAtomsTesting"]),
        .library(name: "ReactiveAtomsHooks", targets: ["ReactiveAtomsHooks"]),
        .library(name: "ReactiveAtomsHooksTesting", targets: ["ReactiveAtomsHooksTesting"]),
    ],
    targets: [
        // The library: typed nodes with values, over a graph that has no values.
        .target(name: "Reactive", dependencies: ["CReactive"]),
        // The code of recordings. A linker leaves it out of programs that never record; see RecordingCode.swift.
        .target(name: "_ReactiveDiagnostics", dependencies: ["Reactive"]),
        // Thread-local context, atomics and thread parking, which Swift cannot express inline.
        .target(name: "CReactive"),
        // Observable arrays, dictionaries and sets, and incrementally updated views of them.
        .target(name: "ReactiveCollections", dependencies: ["Reactive"]),
        // The dependency graph as a page for a browser.
        .target(
            name: "ReactiveInspector", dependencies: ["Reactive", "ReactiveCodable", "ReactiveJSON"],
            resources: [
                .embedInCode("Page/inspector.css"), .embedInCode("Page/model.js"), .embedInCode("Page/layout.js"),
                .embedInCode("Page/scenes.js"), .embedInCode("Page/graph.js"), .embedInCode("Page/timeline.js"),
                .embedInCode("Page/details.js"), .embedInCode("Page/live.js"), .embedInCode("Page/keys.js"),
            ]),
        // JSON as values, JSON Pointer and JSON Patch. Independent of the other modules.
        .target(name: "ReactiveJSON"),
        // Saving of state to a file, shared by ReactiveCodable and ReactiveAtoms. Does not import Foundation.
        .target(name: "ReactiveSaving", dependencies: ["Reactive"]),
        // Observing, recording, replaying and saving object graphs through `Codable` alone.
        .target(name: "ReactiveCodable", dependencies: ["Reactive", "ReactiveJSON", "ReactiveSaving"]),
        // Recoil-style atoms and selectors in stores.
        .target(name: "ReactiveAtoms", dependencies: ["Reactive", "ReactiveSaving"]),
        // Scopes, stubs and simulated views for users' tests. Needs no test framework.
        .target(name: "ReactiveAtomsTesting", dependencies: ["Reactive", "ReactiveAtoms"]),

        // Hooks: state, effects and asynchronous work for a render closure, in any host.
        .target(name: "ReactiveHooks", dependencies: ["Reactive"]),
        // Lists that are rendered with hooks, with a renderer for each row.
        .target(
            name: "ReactiveCollectionsHooks", dependencies: ["Reactive", "ReactiveCollections", "ReactiveHooks"]),
        // Atoms for code that renders with hooks.
        .target(name: "ReactiveAtomsHooks", dependencies: ["Reactive", "ReactiveAtoms", "ReactiveHooks"]),
        // Tests of hooks that use atoms.
        .target(
            name: "ReactiveAtomsHooksTesting",
            dependencies: ["ReactiveAtomsHooks", "ReactiveAtomsTesting", "ReactiveHooks"]),
        // The core in SwiftUI's views; empty elsewhere.
        .target(name: "ReactiveSwiftUI", dependencies: ["Reactive"]),

        // Support for all tests: isolation between tests, threads, clocks, random numbers, folders.
        .target(name: "TestSupport", dependencies: ["Reactive"], path: "Tests/TestSupport"),
        .testTarget(
            name: "ReactiveAtomsTests",
            dependencies: [
                "ReactiveAtoms", "ReactiveAtomsTesting", "ReactiveCodable", "ReactiveCollections", "TestSupport",
            ]),
        .testTarget(
            name: "ReactiveAtomsHooksTests",
            dependencies: ["ReactiveAtomsHooks", "ReactiveAtomsHooksTesting", "TestSupport"]),
        .testTarget(
            name: "ReactiveCodableTests",
            dependencies: [
                "ReactiveCodable", "ReactiveCollections", "JSONTestSupport", "TestSupport", "AutosaveVictim",
            ]),
        // A program that the saving tests kill.
        .executableTarget(name: "AutosaveVictim", dependencies: ["ReactiveCodable"], path: "Tests/AutosaveVictim"),
        .testTarget(name: "ReactiveCollectionsTests", dependencies: ["ReactiveCollections", "TestSupport"]),
        .testTarget(
            name: "ReactiveCollectionsHooksTests", dependencies: ["ReactiveCollectionsHooks", "TestSupport"]),
        .testTarget(name: "ReactiveHooksTests", dependencies: ["ReactiveHooks", "TestSupport"]),
        .testTarget(
            name: "ReactiveInspectorTests",
            dependencies: ["ReactiveInspector", "ReactiveCodable", "ReactiveJSON", "TestSupport"]),
        .testTarget(name: "ReactiveJSONTests", dependencies: ["ReactiveJSON", "JSONTestSupport", "TestSupport"]),
        // Random documents, and a second implementation of JSON Patch as an oracle.
        .target(name: "JSONTestSupport", dependencies: ["ReactiveJSON", "TestSupport"], path: "Tests/JSONTestSupport"),
        .testTarget(name: "ReactiveTests", dependencies: ["Reactive", "ReactiveCollections", "TestSupport"]),
        // Programs with one import each, to test what a product re-exports.
        .testTarget(
            name: "OneImportTests",
            dependencies: [
                "ReactiveAtomsHooksTesting", "ReactiveCodable", "ReactiveCollectionsHooks", "ReactiveInspector",
                "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// What links the core links the code of recordings, so that `Diagnostics.record` finds it.
for target in package.targets where target.name != "_ReactiveDiagnostics" {
    let usesCore = target.dependencies.contains { if case .byNameItem("Reactive", _) = $0 { true } else { false } }
    if usesCore { target.dependencies.append("_ReactiveDiagnostics") }
}

// For the package `Mutants`. With REACTIVE_TESTS in the environment, only these test targets and what they need are
// included.
if let names = Context.environment["REACTIVE_TESTS"]?.split(separator: " ").map(String.init), !names.isEmpty {
    var (needed, pending) = (Set<String>(), names)
    while let name = pending.popLast() {
        guard needed.insert(name).inserted else { continue }
        for case .byNameItem(let next, _) in package.targets.first(where: { $0.name == name })?.dependencies ?? [] {
            pending.append(next)
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
// With REACTIVE_PLAIN_TESTS, tests are not optimised in release. The library is.
if Context.environment["REACTIVE_PLAIN_TESTS"] != nil {
    for target in package.targets where target.isTest {
        target.swiftSettings = [.unsafeFlags(["-Onone"], .when(configuration: .release))]
    }
}

// With REACTIVE_SWIFTUI=standin in the environment, the library is compiled against stand-ins for Apple's modules, for
// systems without SwiftUI. The stand-ins declare what the adapters use, according to Apple's documentation. Then only
// the tests of the adapters are included.
if Context.environment["REACTIVE_SWIFTUI"] == "standin" {
    let folder = "Tests/SwiftUIStandIn"
    let library = package.targets.filter { $0.path == nil && !$0.isTest && $0.name != "CReactive" }
    for target in library { target.dependencies += ["Combine", "SwiftUI"] }
    let views: [Target.Dependency] = [
        "Reactive", "ReactiveAtomsHooks", "ReactiveCodable", "ReactiveCollections", "ReactiveHooks", "ReactiveSwiftUI",
        "SwiftUI",
    ]
    package.targets.removeAll { $0.path != nil || $0.isTest }
    package.targets += [
        .target(name: "Combine", path: "\(folder)/Combine", swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(
            name: "SwiftUI", dependencies: ["Combine", "CReactive"], path: "\(folder)/SwiftUI",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // The views of the app in Examples/SwiftUIHost.
        .target(name: "HostViews", dependencies: views, path: "Examples/SwiftUIHost/Sources/HostViews"),
        .testTarget(name: "AdapterTests", dependencies: ["HostViews"] + views, path: "\(folder)/AdapterTests"),
    ]
}
