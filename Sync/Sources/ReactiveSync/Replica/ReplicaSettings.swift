// The settings and limits of a replica.

public import ReactiveCodable

/// The settings of a replica. All replicas of a document should have the same `limits`.
public struct ReplicaSettings: Sendable {
    /// The versions of the model's schema that this program can follow. It writes the last one.
    ///
    /// Raise the last one for a change that older programs would misread. Entries of the new version stop an older
    /// program with ``ReplicaRefusal/unknownVersion(_:)``, before it writes anything.
    public var versions: ClosedRange<Int> = 1...1

    /// The strings that are texts, as JSON Pointers with `*` for any key or element: `"/columns/*/cards/*/note"`.
    /// Concurrent changes of a text are merged. Of two writes to any other string, the later one wins.
    public var texts: [String] = []

    /// The maximum size of an entry, and the limits of the document. Edits that exceed them have no effect in any
    /// replica.
    public var limits = ReplicaLimits()

    /// The number of entries after which one of the replicas saves a snapshot.
    public var entriesPerSnapshot = 1_000

    /// The pause after the first failed attempt to reach the log. It doubles with each attempt.
    public var firstPause = Duration.milliseconds(100)

    /// The longest pause between two attempts. Each pause is shortened by up to half, at random, so that many replicas
    /// do not connect again at the same moment.
    public var longestPause = Duration.seconds(30)

    /// Creates the default settings.
    public init() {}
}

/// The limits of a document and its entries. All replicas of a document need the same ones.
public struct ReplicaLimits: Hashable, Sendable {
    /// The maximum size in bytes of an entry's content.
    ///
    /// Set it to at most the size that the log accepts. Otherwise the log refuses the replica.
    public var entryByteCount = 1 << 20

    /// The limits of the whole document.
    public var document = JSONLimits.default

    /// The limits of an entry's content.
    var entry: JSONLimits { JSONLimits(depth: document.depth, byteCount: entryByteCount) }

    /// Creates the default limits: 1 MiB for an entry, and `JSONLimits.default` for the document.
    public init() {}
}
