// The file formats of an autosave.

/// The form in which `autosave` stores state in files.
public struct SavingForm: Hashable, Sendable {
    let isJournal: Bool

    /// A document that each save replaces as a whole. The written size depends on the size of the graph.
    public static let document = SavingForm(isJournal: false)

    /// A document, and a journal beside it to which each save appends the changes. The written size depends on the size
    /// of the changes.
    ///
    /// The file NAME contains the document, and `NAME.journal` the changes since it was written. Keep them together:
    /// move and copy both, and neither while an autosave is running.
    public static let journal = SavingForm(isJournal: true)
}
