// swift-tools-version: 6.2
import PackageDescription

// The engine under the explorer. `.ci/schedules` puts this file beside copies of the sources that are changed as
// EngineFaults.txt says.
let package = Package(
    name: "ExploredEngine",
    platforms: [.macOS(.v14)],
    targets: [
        .target(name: "CExplorer", cSettings: [.define("_GNU_SOURCE")]),
        .target(name: "CReactive", dependencies: ["CExplorer"], cSettings: [.define("_GNU_SOURCE")]),
        .target(name: "Reactive", dependencies: ["CReactive"]),
        .target(name: "_ReactiveDiagnostics", dependencies: ["Reactive"]),
        .executableTarget(
            name: "engine-programs", dependencies: ["CExplorer", "CReactive", "Reactive", "_ReactiveDiagnostics"]),
    ],
    swiftLanguageModes: [.v6]
)
