// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "LiveBoard",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "Reactive", path: "../.."),
        .package(path: "../../Sync"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // The board: state, commands, fragments of the page, updates for followers. It is independent of HTTP.
        .target(
            name: "BoardCore",
            dependencies: [
                .product(name: "Reactive", package: "Reactive"),
                .product(name: "ReactiveCollections", package: "Reactive"),
                .product(name: "ReactiveCodable", package: "Reactive"),
                .product(name: "ReactiveInspector", package: "Reactive"),
                .product(name: "ReactiveSync", package: "Sync"),
            ]),
        // The board over HTTP.
        .target(
            name: "BoardServer",
            dependencies: [
                "BoardCore", .product(name: "Reactive", package: "Reactive"),
                .product(name: "ReactiveInspector", package: "Reactive"),
                .product(name: "ReactivePostgres", package: "Sync"),
                .product(name: "ReactiveSync", package: "Sync"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [
                .embedInCode("Resources/board.css"), .embedInCode("Resources/board.js"),
                .embedInCode("Resources/board.svg"),
            ]),
        .executableTarget(name: "LiveBoard", dependencies: ["BoardServer"]),
        // The load program: measures pages and edits.
        .executableTarget(name: "BoardLoad", dependencies: ["LiveBoard"]),

        .testTarget(
            name: "BoardCoreTests",
            dependencies: [
                "BoardCore", .product(name: "ReactiveCodable", package: "Reactive"),
                .product(name: "ReactiveCollections", package: "Reactive"),
                .product(name: "ReactiveSync", package: "Sync"),
            ]),
        // Start the program and use it with a real browser.
        .testTarget(
            name: "BoardServerTests",
            dependencies: [
                "BoardCore", "LiveBoard", .product(name: "Reactive", package: "Reactive"),
                .product(name: "ReactiveInspector", package: "Reactive"),
                .product(name: "ReactiveCodable", package: "Reactive"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
