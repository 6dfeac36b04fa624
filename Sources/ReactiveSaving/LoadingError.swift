// Why a file could not be loaded.

/// Says why a file could not be loaded: which file, what was wrong, and where in it.
public struct LoadingError: Error, CustomStringConvertible {
    /// What sort of thing was wrong.
    public enum Kind: Equatable, Sendable {
        /// There is no file.
        case noFile
        /// The file could not be read: no permission, a folder, an error of the disk.
        case unreadable
        /// The contents are not what the decoder reads at all. Line and column count from 1, columns in bytes, where
        /// they are known.
        case malformed(line: Int?, column: Int?)
        /// The contents do not describe the type: at this place, as a JSON Pointer, something is missing or of another
        /// type.
        case mismatched(pointer: String)
        /// The journal beside the file is damaged in this line, counted from 1, or does not belong to the file, or
        /// cannot be read with this decoder.
        case journal(line: Int?)
        /// The file was written by a newer program, in a version that this one does not know.
        case newer(version: Int)
        /// The migration from this version to the next one failed.
        case migration(from: Int)
    }

    /// What sort of thing was wrong.
    public let kind: Kind
    /// The path of the file.
    public let path: String
    /// What happened, in which file, and where.
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

    /// An error in the journal of a file.
    static func journal(_ path: String, _ line: Int?, _ reason: String) -> LoadingError {
        let place = line.map { "line \($0) of its journal is damaged" } ?? "its journal does not fit"
        return LoadingError(
            kind: .journal(line: line), path: path, description: "\(path) could not be loaded: \(place): \(reason).",
            underlying: nil)
    }
}
