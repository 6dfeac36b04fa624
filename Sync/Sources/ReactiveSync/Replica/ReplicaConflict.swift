// The report of edits that did not fit any more when their transaction got its position in the log.

import Foundation
public import ReactiveCodable

/// The edits of a transaction that were dropped, because others had changed their targets meanwhile.
///
/// The order of the log decides. When an entry gets its position, each of its edits is applied to the result of the
/// entries before it. An edit does not fit if its element or object was removed meanwhile, or if both sides changed the
/// same part of a text. It is then dropped in all replicas. The replica that made it reports it once. After its process
/// was killed, the next process with its journal may report it again.
///
/// A replica that was away while the log pruned entries begins again with a snapshot. The snapshot may contain entries
/// of this replica that it has not read back. It cannot know which of their edits were dropped. It then reports the
/// edits that the document does not show, with ``isOutcomeUnknown``.
public struct ReplicaConflict: Hashable, Sendable {
    /// An edit that was dropped.
    public struct DroppedEdit: Hashable, Sendable {
        /// The path of the edit's target, as readable text: `/columns/{"id":"a"}/title`.
        public let path: String

        /// The lost content: the value that the edit would have written.
        ///
        /// For a text of ``ReplicaSettings/texts``, it is the whole text after the change. For elements without an
        /// `id`, it is an array of the new elements. It is `nil` for an edit that moves or removes.
        public let value: JSONValue?

        /// The operation, its path and the reason why it did not fit, as a sentence.
        public let reason: String
    }

    /// The number of the transaction in its replica, see ``Replica/lastNumber``; 0 for a transaction that was larger
    /// than an entry may be.
    public let number: Int

    /// The edits that were dropped, in the order of the transaction. If ``isOutcomeUnknown``, the edits that the
    /// document does not show.
    public let dropped: [DroppedEdit]

    /// Whether the log pruned the transaction's entry before the replica read it.
    ///
    /// The edits in ``dropped`` then did not fit, or others changed their values later. Or a different process used a
    /// copy of the journal, and the edits never reached the log. Edits whose effect the document shows are not among
    /// them: applying those again would change nothing.
    public let isOutcomeUnknown: Bool
}

extension ReplicaConflict: CustomStringConvertible {
    /// One line per dropped edit.
    public var description: String {
        dropped.map { "\($0.path): \($0.reason)" }.joined(separator: "\n")
    }
}

extension ReplicaConflict {
    /// Creates the conflict of an entry some of whose edits did not fit.
    init(number: Int, edits: [Edit], misfits: [Misfit]) {
        self.number = number
        dropped = misfits.map { DroppedEdit(edits[$0.index], $0.reason) }
        isOutcomeUnknown = false
    }

    /// Creates the conflict of an entry that was pruned before it was read back, with the edits that the document does
    /// not show.
    init(number: Int, invisible edits: [Edit]) {
        self.number = number
        let reason = "the document does not contain its effect, and the log has pruned its entry"
        dropped = edits.map { DroppedEdit($0, reason) }
        isOutcomeUnknown = true
    }

    /// Creates the conflict of a transaction that is larger than an entry may be.
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
