// A folder of its own for each test that writes files.

import Foundation

/// Runs `body` with a new empty folder, which is removed afterwards.
func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

/// Runs a body that suspends with a folder that is removed afterwards.
func withFolder<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}

extension URL {
    /// The names in a folder, hidden ones too.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// The names in a folder without lock files, which a killed program leaves behind.
    var namesWithoutLocks: [String] {
        get throws { try names.filter { !$0.hasSuffix(".lock") } }
    }

    /// The text of a file.
    var text: String? { try? String(contentsOf: self, encoding: .utf8) }

    /// The permissions of a file.
    var permissions: Int? {
        try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
