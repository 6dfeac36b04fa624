// What can be set about a replica.

public import ReactiveCodable

/// The settings of a replica. All replicas of a document should have the same `limits`.
public struct ReplicaSettings: Sendable {
    /// The version of the model's schema that this program writes, and the older ones that it can still follow.
    ///
    /// A change that old programs must not meet needs a new version: then entries that a newer program has written stop
    /// the older ones, with ``ReplicaRefusal/unknownVersion(_:)``, before they write anything.
    public var versions: ClosedRange<Int> = 1...1

    /// Where strings are texts that several people edit at a time, as JSON Pointers with `*` for any key or element:
    /// `"/columns/*/cards/*/note"`. Changes of a text are merged; of other strings, the later one stands.
    public var texts: [String] = []

    /// The maximum size in bytes of an entry, and the limits for the document. An entry that exceeds them has no effect
    /// in any replica.
    public var limits = ReplicaLimits()

    /// The number of entries after which a replica saves a snapshot.
    public var entriesPerSnapshot = 1_000

    /// The pause before the first new attempt when the log cannot be reached. It doubles with each attempt.
    public var firstPause = Duration.milliseconds(100)

    /// The longest pause between two attempts. Each pause is shortened by up to half, at random, so that many replicas do
    /// not come back at the same moment.
    public var longestPause = Duration.seconds(30)

    /// Creates the default settings.
    public init() {}
}

/// The limits for what comes from a log.
public struct ReplicaLimits: Hashable, Sendable {
    /// The maximum size in bytes of an entry's content. At most what the log accepts, or the log refuses the replica.
    public var entryByteCount = 1 << 20

    /// The limits of the whole document.
    public var document = JSONLimits.default

    /// The limits of an entry's content.
    var entry: JSONLimits { JSONLimits(depth: document.depth, byteCount: entryByteCount) }

    /// Creates the default limits: 1 MiB for an entry, and `JSONLimits.default` for the document.
    public init() {}
}
