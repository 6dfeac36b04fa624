// The forms in which an autosave keeps state in files.

/// The form in which `autosave` keeps state in files.
public struct SavingForm: Hashable, Sendable {
    let isJournal: Bool

    /// A document that each save replaces as a whole: what is written follows the size of the graph.
    public static let document = SavingForm(isJournal: false)

    /// A document, and a journal beside it to which each save appends what has changed: what is written follows the
    /// size of the change.
    ///
    /// The file NAME has the document, `NAME.journal` the changes since it was written. Keep them together: move and
    /// copy both, or none while an autosave is running.
    public static let journal = SavingForm(isJournal: true)
}
