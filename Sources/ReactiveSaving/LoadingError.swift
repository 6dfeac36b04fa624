// Errors of loading.

/// The error of a file that could not be loaded: which file, the reason, and the location in the file.
public struct LoadingError: Error, CustomStringConvertible {
    /// The kinds of errors.
    public enum Kind: Equatable, Sendable {
        /// The file does not exist.
        case noFile
        /// The file could not be read: no permission, a folder, an error of the disk.
        case unreadable
        /// The decoder cannot read the contents at all. Line and column count from 1, columns in bytes, if they are
        /// known.
        case malformed(line: Int?, column: Int?)
        /// The contents do not describe the type: at this JSON Pointer, a value is missing, is of a different type, or
        /// is refused by its `init(from:)`.
        case mismatched(pointer: String)
        /// The journal beside the file is damaged in this line, counted from 1; or it does not belong to the file; or
        /// this decoder cannot read it.
        case journal(line: Int?)
        /// A newer program wrote the file, in a version that this program does not know.
        case newer(version: Int)
        /// The migration from this version to the next one failed.
        case migration(from: Int)
    }

    /// The kind of the error.
    public let kind: Kind
    /// The path of the file.
    public let path: String
    /// The problem, with the file and the location.
    public let description: String
    /// The error of the system or the decoder.
    public let underlying: (any Error)?

    /// Creates an error.
    package init(kind: Kind, path: String, description: String, underlying: (any Error)?) {
        self.kind = kind
        self.path = path
        self.description = description
        self.underlying = underlying
    }

    /// Creates an error in the journal of a file.
    static func journal(_ path: String, _ line: Int?, _ reason: String) -> LoadingError {
        let problem = line.map { "line \($0) of its journal is damaged" } ?? "its journal cannot be applied"
        return LoadingError(
            kind: .journal(line: line), path: path, description: "\(path) could not be loaded: \(problem): \(reason).",
            underlying: nil)
    }
}
