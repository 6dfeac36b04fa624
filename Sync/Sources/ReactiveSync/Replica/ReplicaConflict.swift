// What became of a transaction of which a part did not fit any more.

import Foundation
public import ReactiveCodable

/// The parts of a transaction that were dropped, because others had changed meanwhile what they were about.
///
/// The order of the log decides. When an entry has its position in the log, each of its edits applies to what the entries
/// before it have made. An edit does not fit if its element or object was removed meanwhile, or if both sides have changed
/// the same part of a text: it is dropped, in all replicas. The replica that made it reports it, once.
///
/// A replica that was away while the log pruned entries begins again with a snapshot. If the snapshot contains entries of
/// its own that it has not seen come back, it cannot know which of their edits were dropped. It then reports those that
/// the document does not show, with ``isOutcomeUnknown``.
public struct ReplicaConflict: Hashable, Sendable {
    /// An edit that was dropped.
    public struct DroppedEdit: Hashable, Sendable {
        /// Where the edit was to apply, as readable text: `/columns/{"id":"a"}/title`.
        public let path: String

        /// What the edit was to write, or the new text; `nil` for one that moves or removes.
        public let value: JSONValue?

        /// Why the edit did not fit.
        public let reason: String
    }

    /// The number of the transaction among those of its replica.
    public let number: Int

    /// The edits that were dropped, in the order in which the transaction made them. If ``isOutcomeUnknown``, those that
    /// the document does not show.
    public let dropped: [DroppedEdit]

    /// Whether the log has pruned the transaction's entry before the replica read it.
    ///
    /// The edits in ``dropped`` then either did not fit, or were applied and changed again by others; or a different
    /// process used a copy of the journal, and they never reached the log. Edits whose effect the document shows are not
    /// among them: applying those again would change nothing.
    public let isOutcomeUnknown: Bool
}

extension ReplicaConflict: CustomStringConvertible {
    /// A line for each dropped edit.
    public var description: String {
        dropped.map { "\($0.path): \($0.reason)" }.joined(separator: "\n")
    }
}

extension ReplicaConflict {
    /// Creates the conflict of an entry of which some edits did not fit.
    init(number: Int, edits: [Edit], misfits: [Misfit]) {
        self.number = number
        dropped = misfits.map { DroppedEdit(edits[$0.index], $0.reason) }
        isOutcomeUnknown = false
    }

    /// Creates the conflict of an entry that was pruned before it came back, with the edits that the document does not
    /// show.
    init(number: Int, invisible edits: [Edit]) {
        self.number = number
        let reason = "the document does not contain its effect, and the log has pruned its entry"
        dropped = edits.map { DroppedEdit($0, reason) }
        isOutcomeUnknown = true
    }

    /// Creates the conflict of a transaction that was too large for an entry.
    init(oversized edits: [Edit], _ content: String, _ limits: ReplicaLimits) {
        number = 0
        let (count, limit) = (content.utf8.count, limits.entryByteCount)
        let reason = "the transaction has \(count) bytes, and the maximum for an entry is \(limit)"
        dropped = edits.map { DroppedEdit($0, reason) }
        isOutcomeUnknown = false
    }
}

extension ReplicaConflict.DroppedEdit {
    fileprivate init(_ edit: Edit, _ reason: String) {
        path = edit.path.pointer
        self.reason = reason
        value =
            switch edit {
            case .set(_, let value), .insert(_, let value, _): value
            case .text(_, _, let value): .string(value)
            case .splice(_, _, _, let inserted, _): .array(JSONArray(inserted))
            case .remove, .move: nil
            }
    }
}

extension DocumentPath {
    /// The path as readable text, like a JSON Pointer with identities instead of indices.
    fileprivate var pointer: String {
        tokens.map { token in
            switch token {
            case .member(let key): "/\(key)"
            case .element(let identity): "/{\"id\":\(identity)}"
            }
        }.joined()
    }
}
