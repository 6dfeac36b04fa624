// How a replica stands to its log.

public import Foundation

/// How a replica stands to its log.
public enum ReplicaStatus: Hashable, Sendable {
    /// The model shows all entries of the log that are known, and the log has all of the model's changes.
    case live

    /// So many entries are still to be sent or applied.
    case behind(Int)

    /// The log cannot be reached. The model can be changed meanwhile; `pending` of its changes wait to be sent.
    case offline(since: Date, pending: Int)

    /// The replica does not follow or send, for a reason that waiting does not change.
    case refused(ReplicaRefusal)
}

/// Why a replica does not follow its log, or does not send.
public enum ReplicaRefusal: Error, Hashable, Sendable {
    /// The log has entries or a snapshot of a version of the schema that this program does not know. The model stays as
    /// it was before. Start a newer version of the program.
    case unknownVersion(Int)

    /// The document of the log does not fit the model's type, for the reason given. The model stays as it was before, and
    /// follows again when an entry has repaired the document, from here or elsewhere.
    case unfit(String)

    /// The log refuses the replica, for the reason given: it may not read or write, or the log is a different one.
    /// The replica tries again now and then.
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

/// Why a function of a replica failed.
public enum ReplicaError: Error, Hashable, Sendable {
    /// The replica was refused.
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
