// The limit on the entries of a history.

/// The number of entries and the memory beyond which a ``History`` removes its oldest entries.
///
/// The newest entry is always kept, whatever its size. So the last change can always be undone.
public struct HistoryLimit: Hashable, Sendable {
    /// The maximum number of entries, including those that can be redone.
    public var entries: Int
    /// The maximum number of bytes for the values in all entries.
    ///
    /// The size is estimated. A value counts its own size and the UTF-8 text of a string. An array, set or dictionary
    /// counts the size of an element times the number of elements; the elements are not read. Both values of a change
    /// count; for an array, only the elements that differ. Entries of a log count the JSON text of their patches until
    /// they are undone or redone.
    public var bytes: Int

    /// Creates a limit, by default 1,000 entries and 64 MB.
    ///
    /// - Parameters:
    ///   - entries: The maximum number of entries. Less than one counts as one.
    ///   - bytes: The maximum number of bytes.
    public init(entries: Int = 1_000, bytes: Int = 64 << 20) {
        self.entries = entries
        self.bytes = bytes
    }

    /// No limit.
    public static let unlimited = HistoryLimit(entries: .max, bytes: .max)
}
