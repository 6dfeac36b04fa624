// How much a history remembers.

/// How much a ``History`` remembers before it forgets its oldest entries.
///
/// The newest entry is always kept, whatever its size, so that the last change can be undone.
public struct HistoryLimit: Hashable, Sendable {
    /// The greatest number of entries, those that can be redone included.
    public var entries: Int
    /// The greatest number of bytes that the values in all entries need.
    ///
    /// This is an estimate: for each value its own size, the UTF-8 text of a string, and for an array, set or dictionary
    /// the size of an element times their number. Elements are not looked at. Both values of a change count; of an
    /// array, only the elements that differ. Entries of a log count as the JSON text of their patches, until they are
    /// undone or redone.
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
