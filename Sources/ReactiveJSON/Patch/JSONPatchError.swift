// Errors of reading and applying patches.

/// The error of a patch that is invalid or does not apply to the document. The document is unchanged.
public struct JSONPatchError: Error, CustomStringConvertible {
    /// The number of the operation, from 0, or `nil` if the error concerns the patch as a whole.
    public internal(set) var index: Int?
    /// The operation as JSON text, if there is one.
    public internal(set) var operation: String?
    /// The path in the document, if there is one.
    public internal(set) var path: JSONPointer?
    /// The problem and the path at which it occurred.
    public let reason: String
    /// The error of a coder or of a type's own `encode(to:)` or `init(from:)`, if that was the cause.
    public internal(set) var underlying: (any Error)?
    /// Whether the operation would change a part of an object graph that is not inside an `@Observable`: a plain
    /// property, or a member that the type does not have. Code that follows documents of a newer type may skip the
    /// operation.
    public internal(set) var isOutsideObservables = false

    package init(
        index: Int? = nil, operation: String? = nil, path: JSONPointer? = nil, reason: String,
        underlying: (any Error)? = nil
    ) {
        self.index = index
        self.operation = operation
        self.path = path
        self.reason = reason
        self.underlying = underlying
    }

    /// The operation, the path and the reason.
    public var description: String {
        var text = "JSON Patch"
        if let index { text += ", operation \(index)" }
        if let operation { text += " \(operation.prefix(300))\(operation.count > 300 ? "…" : "")" }
        if let path { text += ", path \"\(path)\"" }
        return text + ": " + reason
    }
}
