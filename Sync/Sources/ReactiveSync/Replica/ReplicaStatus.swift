// The status of a replica, and its errors.

public import Foundation

/// The status of a replica: whether it follows its log, and what is left to do.
///
/// A transaction changes the status from ``live`` to ``behind(_:)`` and back. An observer that runs later than the
/// changes reads the latest status, and may read ``live`` twice in a row.
public enum ReplicaStatus: Hashable, Sendable {
    /// The model shows all known entries of the log, and the log has all changes of the model.
    case live

    /// The replica has work to do. The number counts the pending transactions, plus the known entries that the model
    /// does not show yet.
    ///
    /// A transaction is pending until it has been read back from the log. The number is 0 if a replica has begun with
    /// its journal and the log has not answered yet.
    case behind(Int)

    /// The log cannot be reached. The model can be changed meanwhile. `pending` is the number of transactions that have
    /// not been read back from the log.
    case offline(since: Date, pending: Int)

    /// The replica does not follow or does not send, for a reason that waiting does not change.
    case refused(ReplicaRefusal)
}

/// The reason why a replica does not follow its log, or does not send.
public enum ReplicaRefusal: Error, Hashable, Sendable {
    /// The log has an entry or a snapshot of a version of the schema that this program does not know. The model shows
    /// the entries before it. Start a newer version of the program.
    case unknownVersion(Int)

    /// The document does not fit the model's type, for the given reason. The model keeps its values. It follows again
    /// when an entry has corrected the document, from this replica or from a different one.
    case unfit(String)

    /// The log refuses the replica, for the given reason: the replica may not read or write, or the log is a different
    /// one. The replica tries again after each ``ReplicaSettings/longestPause``.
    case log(String)
}

extension ReplicaRefusal: CustomStringConvertible {
    /// The reason.
    public var description: String {
        switch self {
        case .unknownVersion(let version):
            "the log has entries of schema version \(version), which this program does not support; update the program"
        case .unfit(let reason): "the document does not fit the model: \(reason)"
        case .log(let reason): "the log has refused the replica: \(reason)"
        }
    }
}

/// The error of a function of a replica.
public enum ReplicaError: Error, Hashable, Sendable {
    /// The replica is refused.
    case refused(ReplicaRefusal)

    /// The replica has ended.
    case ended
}

extension ReplicaError: CustomStringConvertible {
    /// The reason.
    public var description: String {
        switch self {
        case .refused(let refusal): refusal.description
        case .ended: "the replica has ended"
        }
    }
}
