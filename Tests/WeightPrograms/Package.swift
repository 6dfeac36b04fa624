// swift-tools-version: 6.2
import PackageDescription

// Small programs as a user would write them. `.ci/weight` builds them and measures how much each module adds to a
// program.
func program(_ name: String, _ products: String...) -> Target {
    .executableTarget(name: name, dependencies: products.map { .product(name: $0, package: "Reactive") })
}

let package = Package(
    name: "WeightPrograms",
    platforms: [.macOS(.v12)],
    dependencies: [.package(name: "Reactive", path: "../..")],
    targets: [
        program("empty"),
        program("core", "Reactive"),
        program("recording", "Reactive"),
        program("hooks", "ReactiveHooks"),
        program("atoms", "ReactiveAtoms"),
        program("hooks-atoms", "ReactiveAtomsHooks"),
        program("codable", "ReactiveCodable"),
        program("collections", "ReactiveCollections"),
    ],
    swiftLanguageModes: [.v6]
)
