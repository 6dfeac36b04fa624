// swift-tools-version: 6.2
// Programs that use the library, in a separate package, so that users of the library do not get them.
import PackageDescription

/// Returns a library product of the package.
func product(_ name: String) -> Target.Dependency { .product(name: name, package: "Reactive") }

/// The shelf: fifteen programs of one file each, in reading order, with their imports other than `Reactive`.
let shelf: [(name: String, imports: [String])] = [
    ("Counter", []), ("Transfer", []), ("Search", []), ("Models", []), ("Page", ["ReactiveHooks"]),
    ("Profile", ["ReactiveAtoms"]), ("Undo", ["ReactiveCodable"]), ("Autosave", ["ReactiveCodable"]), ("Sessions", []),
    ("Why", []), ("LogViewer", ["ReactiveCollections"]), ("Setting", []), ("WatchedFile", []), ("Clock", []),
    ("Reachability", []),
]

let shelfFiles = shelf.enumerated().map { index, example in
    "\(index < 9 ? "0" : "")\(index + 1)-\(example.name).swift"
}

let shelfTargets: [Target] = zip(shelf, shelfFiles).map { example, file in
    .executableTarget(
        name: example.name, dependencies: (["Reactive"] + example.imports).map(product), path: "Shelf",
        exclude: shelfFiles.filter { $0 != file }, sources: [file])
}

/// Returns the targets of an application: a program of a few lines, and the target `Core` with its logic.
func application(
    _ name: String, uses imports: [String], shares: [Target.Dependency] = [], sample: String? = nil
) -> [Target] {
    let core = "\(name)Core"
    let path = "Applications/\(name)"
    return [
        .target(name: core, dependencies: imports.map(product) + shares, path: "\(path)/Core"),
        .executableTarget(
            name: name, dependencies: [.target(name: core)] + shares, path: path, exclude: ["Core", "README.md"],
            resources: sample.map { [.embedInCode($0)] } ?? []),
    ]
}

let applicationTargets: [Target] =
    // Shared by the applications: consoles and commands; full-screen programs on a terminal, written with hooks; a
    // server for the inspector.
    [
        .target(
            name: "Conversation", dependencies: ["TerminalText", "CTerminal"],
            path: "Applications/Shared/Conversation"),
        .target(
            name: "TerminalHost",
            dependencies: [product("Reactive"), product("ReactiveHooks"), "TerminalText", "CTerminal"],
            path: "Applications/Shared/TerminalHost"),
        .target(
            name: "InspectorServer", dependencies: [product("ReactiveInspector")],
            path: "Applications/Shared/InspectorServer"),
        .target(name: "TerminalText", path: "Applications/Shared/TerminalText"),
        .target(name: "CTerminal", path: "Applications/Shared/CTerminal"),
    ]
    + application(
        "Sheet", uses: ["Reactive", "ReactiveInspector"], shares: ["Conversation", "InspectorServer"],
        sample: "budget.csv")
    + application(
        "Outline", uses: ["Reactive", "ReactiveCodable", "ReactiveCollections", "ReactiveInspector"],
        shares: ["Conversation", "InspectorServer"], sample: "moving.json")
    + application("Dash", uses: ["ReactiveHooks"], shares: ["Conversation", "TerminalHost"])
    + application(
        "Shop", uses: ["Reactive", "ReactiveAtoms", "ReactiveAtomsHooks", "ReactiveCodable", "ReactiveCollections"],
        shares: ["Conversation", "InspectorServer", "TerminalHost", "SheetCore"], sample: "catalogue.csv")

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "Reactive", path: "..")],
    targets: shelfTargets + applicationTargets + [
        // The tour: every function of the library in a few lines with their output.
        .target(
            name: "TourCore",
            dependencies: [
                "Reactive", "ReactiveCollections", "ReactiveInspector", "ReactiveCodable", "ReactiveHooks",
                "ReactiveCollectionsHooks", "ReactiveAtoms", "ReactiveAtomsTesting", "ReactiveAtomsHooks",
                "ReactiveAtomsHooksTesting",
            ].map(product),
            path: "Tour/Core"),
        .executableTarget(name: "Tour", dependencies: ["TourCore"], path: "Tour", exclude: ["Core"]),

        // Support for tests: pipes and terminals for programs, turns, folders and random numbers.
        .target(name: "ProgramSupport", path: "Tests/ProgramSupport"),
        .testTarget(
            name: "ShelfTests",
            dependencies: ["ProgramSupport", "TourCore"] + shelf.map { .target(name: $0.name) }),
        .testTarget(
            name: "SheetTests",
            dependencies: ["Sheet", "SheetCore", "Conversation", "TerminalText", "ProgramSupport"]),
        .testTarget(name: "OutlineTests", dependencies: ["Outline", "OutlineCore", "ProgramSupport"]),
        .testTarget(
            name: "DashTests",
            dependencies: ["Dash", "DashCore", "TerminalHost", "ProgramSupport", "TerminalVictim"]),
        // A full-screen program that fails on request.
        .executableTarget(
            name: "TerminalVictim", dependencies: [product("ReactiveHooks"), "TerminalHost"],
            path: "Tests/TerminalVictim"),
        .testTarget(
            name: "ShopTests", dependencies: ["Shop", "ShopCore", "TerminalHost", "ProgramSupport"]),
        .testTarget(
            name: "InspectorServerTests",
            dependencies: [
                "InspectorServer", "Outline", "ProgramSupport", "Sheet", "Shop", product("Reactive"),
                product("ReactiveInspector"),
            ]),
        .testTarget(
            name: "TourTests",
            dependencies: [
                "Tour", "TourCore", "ProgramSupport", product("Reactive"), product("ReactiveCodable"),
                product("ReactiveCollections"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
