// A folder of its own for a test that writes files.

import Foundation

/// A folder that is removed with this object.
package final class TemporaryFolder {
    package let url = FileManager.default.temporaryDirectory.appendingPathComponent("Test-\(UUID().uuidString)")

    package init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Returns the path of a file in the folder.
    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file and returns its path.
    @discardableResult
    package func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
        return path(name)
    }
}
