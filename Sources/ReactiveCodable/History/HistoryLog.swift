// The entries of a history as a value, to be kept in a file or sent elsewhere.

/// The entries of a ``History``: what was done, and what was undone and can be done again.
///
/// ```swift
/// let data = try JSONEncoder().encode(history.log)
/// // in another process, with the root as it was when the log was taken:
/// let continued = try History(root, log: JSONDecoder().decode(HistoryLog.self, from: data))
/// // or with the root as it was before the first entry:
/// try log.replay(onto: root)
/// ```
///
/// As JSON: `{"done": [{"patch": […], "inverse": […]}], "undone": []}`, each patch as RFC 6902 has it. Values that are
/// nested more than `JSONValue.maximumCodableDepth` levels deep cannot be encoded; encoding throws then.
public struct HistoryLog: Codable, Hashable, Sendable {
    /// One step, in both directions.
    public struct Entry: Codable, Hashable, Sendable {
        /// What leads from the state before to the state after.
        public var patch: JSONPatch
        /// What leads back.
        public var inverse: JSONPatch

        /// Creates an entry from a patch and the one that takes it back.
        public init(patch: JSONPatch, inverse: JSONPatch) {
            self.patch = patch
            self.inverse = inverse
        }

        init(_ patch: JSONPatch) {
            self.init(patch: patch, inverse: JSONPatch(patch.undoing ?? [], undoing: patch.operations))
        }

        /// The patch, which knows its inverse.
        var invertible: JSONPatch { JSONPatch(patch.operations, undoing: inverse.operations) }
    }

    /// What was done and can be undone, the oldest first.
    public var done: [Entry]
    /// What was undone and can be redone, in the order of redoing.
    public var undone: [Entry]

    /// Creates a log; without arguments an empty one.
    public init(done: [Entry] = [], undone: [Entry] = []) {
        self.done = done
        self.undone = undone
    }
}
