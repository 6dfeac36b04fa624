// The entries of a history as a value, to save it or to send it to another process.

/// The entries of a ``History``: those that can be undone, and those that can be redone.
///
/// ```swift
/// let data = try JSONEncoder().encode(history.log)
/// // in another process, with the root as it was when the log was taken:
/// let continued = try History(root, log: JSONDecoder().decode(HistoryLog.self, from: data))
/// // or with the root as it was before the first entry:
/// try log.replay(onto: root)
/// ```
///
/// As JSON: `{"done": [{"patch": […], "inverse": […]}], "undone": []}`, with patches in the form of RFC 6902. Encoding
/// throws for values that are nested more than `JSONValue.maximumCodableDepth` levels deep.
public struct HistoryLog: Codable, Hashable, Sendable {
    /// One entry, in both directions.
    public struct Entry: Codable, Hashable, Sendable {
        /// The patch from the state before the entry to the state after it.
        public var patch: JSONPatch
        /// The patch from the state after the entry to the state before it.
        public var inverse: JSONPatch

        /// Creates an entry from a patch and its inverse.
        public init(patch: JSONPatch, inverse: JSONPatch) {
            self.patch = patch
            self.inverse = inverse
        }

        init(_ patch: JSONPatch) {
            self.init(patch: patch, inverse: JSONPatch(patch.undoing ?? [], undoing: patch.operations))
        }

        /// The patch, with its inverse.
        var invertible: JSONPatch { JSONPatch(patch.operations, undoing: inverse.operations) }
    }

    /// The entries that can be undone, the oldest first.
    public var done: [Entry]
    /// The entries that can be redone, in the order of redoing.
    public var undone: [Entry]

    /// Creates a log, by default an empty one.
    public init(done: [Entry] = [], undone: [Entry] = []) {
        self.done = done
        self.undone = undone
    }
}
