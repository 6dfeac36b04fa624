// How much a history remembers.

/// How much a ``History`` remembers before it forgets its oldest entries.
///
/// The newest entry is always kept, whatever its size, so that the last change can be undone.
public struct HistoryLimit: Hashable, Sendable {
    /// The greatest number of entries, those that can be redone included.
    public var entries: Int
    /// The greatest number of bytes that the patches of all entries have as JSON text, both directions counted.
    public var bytes: Int

    /// Creates a limit; without arguments one of 1,000 entries and 64 MB.
    ///
    /// - Parameters:
    ///   - entries: The greatest number of entries; less than one counts as one.
    ///   - bytes: The greatest number of bytes.
    public init(entries: Int = 1_000, bytes: Int = 64 << 20) {
        self.entries = entries
        self.bytes = bytes
    }

    /// No limit.
    public static let unlimited = HistoryLimit(entries: .max, bytes: .max)
}
