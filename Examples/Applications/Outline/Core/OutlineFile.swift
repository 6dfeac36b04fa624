// The outline on disk. A file is refused, and not changed, if saving would lose any of its contents or if it could not
// be saved. `autosave` does the saving: the file is a complete outline at all times.

import Foundation
import Reactive
import ReactiveCodable

/// The reason why a file cannot be used.
package struct FileError: Error, CustomStringConvertible {
    package let description: String
}

/// An outline and its file.
package final class OutlineFile {
    /// The path as given by the user.
    package let path: String
    /// The outline in the file.
    package let outline: Outline
    /// Whether the file does not exist yet.
    package let isNew: Bool

    private let url: URL
    private var autosave: Autosave?
    /// The reaction that notes unsaved changes.
    private var watching: Reaction?
    private var hasChanged = false
    private var toldProblem: String?

    /// Opens a file. If it does not exist, the first change creates it.
    ///
    /// - Throws: `FileError` if the file cannot be read, or could not be written.
    package init(_ path: String) throws(FileError) {
        self.path = path
        url = URL(fileURLWithPath: path)
        if let reason = path.isEmpty ? "the path is empty; name a file" : OutlineFile.obstacle(at: url) {
            throw FileError(description: "\(path.isEmpty ? "\"\"" : path) cannot be used: \(reason)")
        }
        do throws(LoadingError) {
            outline = try load(from: url)
            isNew = false
        } catch {
            guard error.kind == .noFile else { throw FileError(description: error.description) }
            outline = Outline()
            isNew = true
        }
    }

    /// Starts to save all changes of the outline.
    ///
    /// Not isolated, so that saving runs while the main actor waits for input. The session checks for errors between
    /// commands.
    func follow() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        autosave = ReactiveCodable.autosave(
            outline, to: url, encoder: encoder, schedule: .throttled(every: .milliseconds(100)), named: "autosave",
            onError: { _ in })
        watching = deepObserve(outline, of: self, named: "something to save") { $0.hasChanged = true }
    }

    /// Writes the outline if the file does not have it yet.
    package func save() throws(FileError) {
        do {
            try autosave?.flush()
        } catch {
            let problem = "\(error)"
            toldProblem = problem
            throw FileError(description: problem)
        }
    }

    /// Writes unsaved changes. If nothing has changed since the file was opened, does not touch the file.
    package func saveChanges() throws(FileError) {
        if hasChanged { try save() }
    }

    /// Writes unsaved changes and stops saving.
    package func close() throws(FileError) {
        defer {
            autosave?.cancel()
            watching?.cancel()
        }
        try saveChanges()
    }

    /// Returns the reason why the last change is not saved, unless it has already been reported.
    func newProblem() -> String? {
        let problem = autosave?.lastError.map { "\($0)" }
        defer { toldProblem = problem }
        return problem == toldProblem ? nil : problem
    }

    /// Returns the reason why a file cannot be used, if that is known without reading it.
    private static func obstacle(at url: URL) -> String? {
        let files = FileManager.default
        // Reads and writes the destination of a symbolic link.
        let file = url.resolvingSymlinksInPath()
        let folder = file.deletingLastPathComponent().path
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            return "there is no such folder; create it first"
        }
        if let attributes = try? files.attributesOfItem(atPath: file.path) {
            switch attributes[.type] as? FileAttributeType {
            case .typeRegular?: break
            case .typeDirectory?: return "it is a folder; name a file in it"
            default: return "it is not a regular file"
            }
            guard files.isWritableFile(atPath: file.path) else { return "no permission to write it" }
        }
        // A file is replaced as a whole, which needs write access to its folder.
        return files.isWritableFile(atPath: folder) ? nil : "no permission to write in its folder"
    }
}
