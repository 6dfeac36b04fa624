// Why a patch cannot be read or does not fit.

/// Says which operation of a patch is not one, or does not fit the document, and why. Nothing has changed then.
public struct JSONPatchError: Error, CustomStringConvertible {
    /// The number of the operation, from 0, or `nil` if the patch as a whole is meant.
    public internal(set) var index: Int?
    /// The operation as JSON text, if there is one.
    public internal(set) var operation: String?
    /// The place in the document, if there is one.
    public internal(set) var path: JSONPointer?
    /// What was wrong, and at which place.
    public let reason: String
    /// The error of a coder or of a type's own `encode(to:)` or `init(from:)`, if that was the reason.
    public internal(set) var underlying: (any Error)?
    /// Whether the operation would change something in an object graph that is not under an `@Observable`: a plain
    /// property, or a member that the type does not have. Who follows documents of a newer type may leave it out.
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

    /// The operation, the place and the reason.
    public var description: String {
        var text = "JSON Patch"
        if let index { text += ", operation \(index)" }
        if let operation { text += " \(operation.prefix(300))\(operation.count > 300 ? "…" : "")" }
        if let path { text += ", path \"\(path)\"" }
        return text + ": " + reason
    }
}
