// Programs that try to race, in Tests/RaceAttempts: Swift 6 without warnings or words such as `unchecked`.
//
// Those in `Refused` do not compile. Those in `Open` compile, because Swift cannot express the rule that would forbid
// them. The page *Threads and isolation* lists them with the reasons. When Swift refuses one of them, remove it from
// that page. A third kind stops with a message or is corrected by a hop; ordinary tests beside this file cover it.

#if os(Linux)
import Foundation
import Testing
import TestSupport

extension ReactiveTests {
    @Suite(.enabled(if: Compiler.shared != nil, "needs swiftc and the modules that the tests were built with"))
    struct RaceAttemptTests {
        @Test func attemptsToRaceAreRefused() throws {
            let compiler = try #require(Compiler.shared)
            let files = try RaceAttempts.files(in: "Refused")
            #expect(files.count >= 6)
            let messages = try compiler.messages(for: files, mode: "-typecheck")
            for file in files {
                #expect(messages.contains { $0.contains("\(file):") && $0.contains(" error: ") }, "\(file) compiles")
            }
        }

        @Test func racesThatSwiftAcceptsAreListed() throws {
            let compiler = try #require(Compiler.shared)
            let files = try RaceAttempts.files(in: "Open")
            let messages = try compiler.messages(for: files, mode: "-emit-sil")
            #expect(messages == [], "Swift refuses a program that Threads and isolation lists as accepted")
        }
    }
}

private enum RaceAttempts {
    static func files(in folder: String) throws -> [String] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder = tests.appendingPathComponent("RaceAttempts/\(folder)")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
            .sorted()
            .map { folder.appendingPathComponent($0).path }
    }
}

/// The Swift compiler, with the modules that this test is linked with.
private struct Compiler {
    let path: String
    let products: URL

    static let shared: Compiler? = {
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let module = products.appendingPathComponent("Modules/Reactive.swiftmodule")
        let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/swiftc" }
        guard FileManager.default.fileExists(atPath: module.path),
            let path = paths.first(where: FileManager.default.isExecutableFile)
        else { return nil }
        return Compiler(path: path, products: products)
    }()

    /// The errors and warnings for some files.
    func messages(for files: [String], mode: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments =
            [
                mode, "-wmo", "-swift-version", "6", "-parse-as-library", "-diagnostic-style", "llvm", "-I",
                products.appendingPathComponent("Modules").path, "-Xcc",
                "-fmodule-map-file=\(products.path)/CReactive.build/module.modulemap",
            ] + files
        let output = Pipe()
        process.standardError = output
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init).filter {
            $0.contains(" error: ") || $0.contains(" warning: ")
        }
    }
}
#endif
