// JSON Patch (RFC 6902): the changes of a document as a list of operations.

/// A list of operations that change a JSON document (RFC 6902).
///
/// ```swift
/// let before: JSONValue = ["name": "Ann", "tags": ["a", "b"]]
/// let after: JSONValue = ["name": "Bob", "tags": ["a", "x", "b"]]
///
/// let patch = JSONPatch(from: before, to: after)
/// print(patch)
/// // prints [{"op":"replace","path":"/name","value":"Bob"},{"op":"add","path":"/tags/1","value":"x"}]
/// try patch.applying(to: before) == after           // true
/// try patch.inverse.applying(to: after) == before   // true
/// ```
///
/// A patch is applied as a whole or not at all. A patch that was created from two documents or by recorded changes has
/// an ``inverse``. The `Codable` form is the RFC's, which does not contain the inverse: a decoded patch only has
/// ``inverse(for:limits:)``. To save both directions, save the inverse as a patch of its own.
public struct JSONPatch: Sendable {
    /// One operation.
    public enum Operation: Hashable, Sendable {
        /// Inserts into an array, before the element at the index or at `-` after the last; or sets a member of an
        /// object.
        case add(path: JSONPointer, value: JSONValue)
        /// Removes an element or a member.
        case remove(path: JSONPointer)
        /// Replaces an existing value.
        case replace(path: JSONPointer, value: JSONValue)
        /// Removes the value at `from`, and adds it at `path`.
        case move(from: JSONPointer, path: JSONPointer)
        /// Adds a copy of the value at `from` at `path`.
        case copy(from: JSONPointer, path: JSONPointer)
        /// Makes the patch fail unless the value at `path` equals `value`.
        case test(path: JSONPointer, value: JSONValue)
    }

    /// The operations, in the order in which they apply.
    public let operations: [Operation]

    /// The operations that undo these, in the order in which they apply, if they are known.
    package let undoing: [Operation]?

    /// Creates a patch from operations. It has no ``inverse``; use ``inverse(for:limits:)``.
    public init(_ operations: some Sequence<Operation>) {
        self.operations = Array(operations)
        self.undoing = self.operations.isEmpty ? [] : nil
    }

    package init(_ operations: [Operation], undoing: [Operation]) {
        self.operations = operations
        self.undoing = undoing
    }

    /// Whether there are no operations.
    public var isEmpty: Bool { operations.isEmpty }
}

extension JSONPatch: Hashable {
    /// Whether both have the same operations.
    public static func == (left: JSONPatch, right: JSONPatch) -> Bool { left.operations == right.operations }
    /// Hashes the operations.
    public func hash(into hasher: inout Hasher) { hasher.combine(operations) }
}

extension JSONPatch: ExpressibleByArrayLiteral {
    /// Creates a patch from operations.
    public init(arrayLiteral operations: Operation...) { self.init(operations) }
}

extension JSONPatch.Operation {
    /// The path that the operation changes or tests: its member `path`.
    public var path: JSONPointer {
        switch self {
        case .add(let path, _), .remove(let path), .replace(let path, _), .move(_, let path), .copy(_, let path),
            .test(let path, _):
            path
        }
    }

    /// Returns the operation with its pointers prefixed by `prefix`, for a larger document that contains the original
    /// one there.
    public func prefixed(by prefix: JSONPointer) -> JSONPatch.Operation {
        guard !prefix.tokens.isEmpty else { return self }
        func at(_ path: JSONPointer) -> JSONPointer { prefix.appending(path) }
        return switch self {
        case .add(let path, let value): .add(path: at(path), value: value)
        case .remove(let path): .remove(path: at(path))
        case .replace(let path, let value): .replace(path: at(path), value: value)
        case .move(let from, let path): .move(from: at(from), path: at(path))
        case .copy(let from, let path): .copy(from: at(from), path: at(path))
        case .test(let path, let value): .test(path: at(path), value: value)
        }
    }
}

// MARK: - Applying

extension JSONPatch {
    /// Returns the document after all operations.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - limits: The limits for the growth of the document. A document that already exceeds them is accepted, and
    ///     operations may make it smaller.
    /// - Returns: The changed document. It shares unchanged parts with `document`.
    /// - Throws: ``JSONPatchError``, which names the operation, and the limit if one is exceeded.
    /// - Complexity: For each operation O(1) for each token of its path, and O(operations) for arrays on it. Finally
    ///   O(the widths of the containers on the paths).
    public func applying(
        to document: JSONValue, limits: JSONLimits = .default
    ) throws(JSONPatchError) -> JSONValue {
        let tree = JSONTree(document, limits: limits)
        try tree.apply(self)
        return tree.document
    }
}

// MARK: - Inverting

extension JSONPatch {
    /// The patch that undoes this one.
    ///
    /// - Throws: ``JSONPatchError`` if the patch was not created from two documents or by recorded changes. The
    ///   replaced values are unknown then; see ``inverse(for:limits:)``.
    public var inverse: JSONPatch {
        get throws(JSONPatchError) {
            guard let undoing else {
                throw JSONPatchError(
                    reason: """
                        The patch was decoded or written by hand, so it does not contain the values that it replaces. \
                        Use inverse(for: document) with the document that it applies to.
                        """)
            }
            return JSONPatch(undoing, undoing: operations)
        }
    }

    /// Returns the patch that undoes this one after it was applied to the given document.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - limits: The limits for the growth of the document.
    /// - Throws: ``JSONPatchError`` if the patch does not apply to `document`, or would exceed a limit.
    public func inverse(
        for document: JSONValue, limits: JSONLimits = .default
    ) throws(JSONPatchError) -> JSONPatch {
        let tree = JSONTree(document, limits: limits)
        return JSONPatch(try tree.apply(self, recordsInverse: true), undoing: operations)
    }

    /// Returns this patch with an ``inverse``, for use with the given document.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - limits: The limits for the growth of the document.
    /// - Throws: ``JSONPatchError`` if the patch does not apply to `document`, or would exceed a limit.
    public func invertible(
        for document: JSONValue, limits: JSONLimits = .default
    ) throws(JSONPatchError) -> JSONPatch {
        try inverse(for: document, limits: limits).inverse
    }

    /// Returns the patch that applies this patch and then `next`. It has an inverse if both have one.
    public func appending(_ next: JSONPatch) -> JSONPatch {
        guard let undoing, let later = next.undoing else { return JSONPatch(operations + next.operations) }
        return JSONPatch(operations + next.operations, undoing: later + undoing)
    }
}
