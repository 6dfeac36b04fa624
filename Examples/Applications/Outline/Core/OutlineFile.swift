// The outline on disk. A file is refused, and stays as it is, if anything in it would be lost by saving it, or if it could not be saved.
// Saving is `autosave`'s: what is on the disk is a whole outline at every moment.

import Foundation
import Reactive
import ReactiveCodable

/// Why a file cannot be used.
package struct FileError: Error, CustomStringConvertible {
    package let description: String
}

/// An outline, and the file that follows it.
package final class OutlineFile {
    /// The path as it was given.
    package let path: String
    /// What the file holds.
    package let outline: Outline
    /// Whether the file has yet to be made.
    package let isNew: Bool

    private let url: URL
    private var autosave: Autosave?
    /// Notes that there is something to save.
    private var watching: Reaction?
    private var hasChanged = false
    private var toldProblem: String?

    /// Opens a file. One that does not exist is made at the first change.
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

    /// From now on the file follows what changes in its outline.
    ///
    /// In no isolation, so that it is saved while the main actor waits for input. Errors are asked for between commands.
    func follow() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        autosave = ReactiveCodable.autosave(
            outline, to: url, encoder: encoder, schedule: .throttled(every: .milliseconds(100)), named: "autosave",
            onError: { _ in })
        watching = deepObserve(outline, of: self, named: "something to save") { $0.hasChanged = true }
    }

    /// Writes the outline, unless the file has it already.
    package func save() throws(FileError) {
        do {
            try autosave?.flush()
        } catch {
            let problem = "\(error)"
            toldProblem = problem
            throw FileError(description: problem)
        }
    }

    /// Writes what is not written yet, if anything has changed since the file was opened. Else the file stays as it is.
    package func saveChanges() throws(FileError) {
        if hasChanged { try save() }
    }

    /// Writes what is not written yet, and follows the outline no longer.
    package func close() throws(FileError) {
        defer {
            autosave?.cancel()
            watching?.cancel()
        }
        try saveChanges()
    }

    /// Why the last change is not saved yet, unless that has been told already.
    func newProblem() -> String? {
        let problem = autosave?.lastError.map { "\($0)" }
        defer { toldProblem = problem }
        return problem == toldProblem ? nil : problem
    }

    /// What keeps a file from being used, if that can be told without reading it.
    private static func obstacle(at url: URL) -> String? {
        let files = FileManager.default
        // What a link leads to is what is read and written.
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
        // A file is replaced as a whole, which is an act on its folder.
        return files.isWritableFile(atPath: folder) ? nil : "no permission to write in its folder"
    }
}
