// Deliberate faults, which the worlds must find: each one breaks a promise of the system that the library relies on, or
// one of the library itself.

/// A deliberate fault of a world.
package enum WorldFault: String, CaseIterable {
    /// `fsync` of a temporary file does nothing, as if the file were renamed without it.
    case documentIsNotSynced
    /// `fsync` of a journal does nothing, as if `flush` returned before it.
    case journalIsNotSynced
    /// `fsync` of the folder does nothing.
    case folderIsNotSynced
    /// A rename removes the old file first.
    case renameIsNotAtomic
    /// A power failure may keep a part of what was written to a file, and lose an earlier part. The library relies on
    /// the opposite for lines that it appends with one `fsync`.
    case writesOvertake
    /// The program counts a change as flushed that it has not flushed.
    case flushIsEarly
    /// The log appends an entry again if it arrives again.
    case logAppendsTwice
    /// The log acknowledges entries that it does not append.
    case logLosesEntries
    /// The log gives one replica the entries in a different order.
    case logReordersEntries
    /// An observer has ended, and nobody knows.
    case observerIsDeaf
    /// A saved history has lost its last entry.
    case historyLosesAnEntry
}
