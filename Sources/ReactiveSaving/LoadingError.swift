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
    }

    /// What sort of thing was wrong.
    public let kind: Kind
    /// The path of the file.
    public let path: String
    /// What happened, in which file, and where.
    public let description: String
    /// The error of the system or the decoder.
    public let underlying: (any Error)?
}
