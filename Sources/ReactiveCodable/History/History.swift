// `History`: undo and redo for every type that can be encoded.

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Records the changes of an object graph, to undo and redo them.
///
/// ```swift
/// struct Document: Codable { @Observable var title = "Draft" }
///
/// let document = Document()
/// let history = History(document)
/// document.title = "Essay"
/// try history.undo()
/// print(document.title, history.canRedo)  // prints Draft true
/// ```
///
/// - Each transaction that changes something that encoding the root reaches becomes one entry: the observables that
///   changed, with their values before and after. The root needs no conformance but `Codable`.
/// - Undo writes the old values back into the same observables, redo the new ones. Objects keep their identity, shared
///   objects stay shared, and cycles stay cycles. Values of all types are restored, sets included.
/// - Each undo or redo is one transaction. It is not recorded, and writes only what differs, so that observers stay
///   attached.
/// - An entry also keeps the values inside objects that left the graph or entered it. If undo or redo brings an object
///   back, it also restores the object's contents, even if they were changed meanwhile.
/// - For an array, an entry keeps the elements that differ. For all other values it keeps both versions.
/// - Plain stored properties of classes are not observed. Their changes are not recorded, and neither undo nor redo
///   changes them.
/// - A change after an undo discards the entries that could be redone.
/// - With a merge window, changes that follow each other quickly become one entry, as in text editors. Changes merge
///   only if they replace values of the same observables, and if these are no arrays, sets or dictionaries. Changes
///   never merge across an undo, a redo, ``seal()`` or the beginning of a log. If merged changes cancel out, no entry
///   remains.
/// - Changes in ``untracked(_:)`` are not recorded, and undo leaves them in place.
/// - A ``HistoryLimit`` bounds the memory, by default to 1,000 entries and 64 MB.
/// - Writes of effects are recorded too. If the effect's reaction is older than the history, they belong to the entry
///   of the transaction that caused them; otherwise they become an entry of their own. To avoid separate entries, use a
///   `Computed` for values derived from other state, or create the history last. An effect that writes a different
///   value each time it runs, such as the current time, also does so after an undo. That discards the entries that
///   could be redone.
///
/// A history belongs to the graph of the root's state, wherever you create the history. In a transaction of a different
/// graph, `undo()` and `redo()` throw.
///
/// You may use a history on any thread if you may use the root there. Each transaction is an entry of its own, with one
/// exception: changes that other threads make while effects of older reactions run may join the entry. Undo and redo
/// never overlap with transactions of other threads. In the middle of a transaction, they first record the changes so
/// far as an entry; in a transaction that can throw, they throw.
///
/// A history records until ``end()``, until it is released, or until `cancelReactions()` of its graph. To keep the
/// ``log``, call `end()` first: after `cancelReactions()`, later changes of the root become part of it.
public final class History<Root: Codable> {
    private let recorder: HistoryRecorder<Root>
    private let isUndoable: Computed<Bool>
    private let isRedoable: Computed<Bool>

    private init(_ recorder: HistoryRecorder<Root>) {
        self.recorder = recorder
        let position = recorder.position
        (isUndoable, isRedoable) = recorder.graph.run {
            (Computed { position.value.undoCount > 0 }, Computed { position.value.redoCount > 0 })
        }
    }

    deinit { recorder.reaction?.cancel() }

    // MARK: - Creating

    /// Creates a history that begins with the present state of `root` and records each transaction as an entry.
    ///
    /// - Parameters:
    ///   - root: The root of the graph. Kept as long as the history.
    ///   - limit: The limit on the number of entries and on their memory.
    ///   - encoder: The encoder whose strategies and user info the patches follow.
    ///   - decoder: The counterpart of `encoder`.
    ///   - name: The name in diagnostics. Without one, the file and line of the call.
    ///   - fileID: The file of the call.
    ///   - line: The line of the call.
    /// - Complexity: O(what encoding visits); then O(what changed) for each transaction.
    public convenience init(
        _ root: Root, limit: HistoryLimit = HistoryLimit(), encoder: JSONEncoder = JSONEncoder(),
        decoder: JSONDecoder = JSONDecoder(), named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(
            HistoryRecorder(
                root, limit: limit, mergeWindow: nil, now: nil,
                CodingStrategies(encoder: encoder, decoder: decoder)))
        recorder.begin(named: name, fileID: fileID, line: line)
    }

    /// Creates a history that continues after the last entry of a log and records each transaction as an entry.
    ///
    /// - Parameters:
    ///   - root: The root, as it was when the log was taken.
    ///   - log: The entries to begin with.
    ///   - limit: The limit on the number of entries and on their memory.
    ///   - encoder: The encoder whose strategies and user info the patches follow: the same as those of the log.
    ///   - decoder: The counterpart of `encoder`.
    ///   - name: The name in diagnostics. Without one, the file and line of the call.
    ///   - fileID: The file of the call.
    ///   - line: The line of the call.
    /// - Throws: ``HistoryError`` if the log does not fit the root; any error that encoding the root throws.
    public convenience init(
        _ root: Root, log: HistoryLog, limit: HistoryLimit = HistoryLimit(), encoder: JSONEncoder = JSONEncoder(),
        decoder: JSONDecoder = JSONDecoder(), named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        self.init(
            HistoryRecorder(
                root, limit: limit, mergeWindow: nil, now: nil,
                CodingStrategies(encoder: encoder, decoder: decoder)))
        try recorder.begin(log, named: name, fileID: fileID, line: line)
    }

    /// Creates a history that begins with the present state of `root` and merges changes that follow each other
    /// quickly.
    ///
    /// - Parameters:
    ///   - root: The root of the graph. Kept as long as the history.
    ///   - mergeWindow: The time between two changes of the same values below which they merge; `nil` for never.
    ///   - clock: The source of time. Tests pass their own clock.
    ///   - limit: The limit on the number of entries and on their memory.
    ///   - encoder: The encoder whose strategies and user info the patches follow.
    ///   - decoder: The counterpart of `encoder`.
    ///   - name: The name in diagnostics. Without one, the file and line of the call.
    ///   - fileID: The file of the call.
    ///   - line: The line of the call.
    /// - Complexity: O(what encoding visits); then O(what changed) for each transaction.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public convenience init<C: Clock>(
        _ root: Root, mergeWindow: Duration?, clock: C = ContinuousClock(), limit: HistoryLimit = HistoryLimit(),
        encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder(), named name: String? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) where C.Duration == Duration {
        self.init(
            HistoryRecorder(
                root, limit: limit, mergeWindow: mergeWindow, now: elapsed(on: clock),
                CodingStrategies(encoder: encoder, decoder: decoder)))
        recorder.begin(named: name, fileID: fileID, line: line)
    }

    /// Creates a history that continues after the last entry of a log and merges changes that follow each other
    /// quickly.
    ///
    /// - Parameters:
    ///   - root: The root, as it was when the log was taken.
    ///   - log: The entries to begin with.
    ///   - mergeWindow: The time between two changes of the same values below which they merge; `nil` for never.
    ///   - clock: The source of time. Tests pass their own clock.
    ///   - limit: The limit on the number of entries and on their memory.
    ///   - encoder: The encoder whose strategies and user info the patches follow: the same as those of the log.
    ///   - decoder: The counterpart of `encoder`.
    ///   - name: The name in diagnostics. Without one, the file and line of the call.
    ///   - fileID: The file of the call.
    ///   - line: The line of the call.
    /// - Throws: ``HistoryError`` if the log does not fit the root; any error that encoding the root throws.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public convenience init<C: Clock>(
        _ root: Root, log: HistoryLog, mergeWindow: Duration?, clock: C = ContinuousClock(),
        limit: HistoryLimit = HistoryLimit(), encoder: JSONEncoder = JSONEncoder(),
        decoder: JSONDecoder = JSONDecoder(), named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws where C.Duration == Duration {
        self.init(
            HistoryRecorder(
                root, limit: limit, mergeWindow: mergeWindow, now: elapsed(on: clock),
                CodingStrategies(encoder: encoder, decoder: decoder)))
        try recorder.begin(log, named: name, fileID: fileID, line: line)
    }

    // MARK: - Undoing and redoing

    /// Undoes the last entry.
    ///
    /// - Throws: ``HistoryError`` if there is nothing to undo, the history has ended, or the call is part of a
    ///   transaction that can throw. `JSONPatchError` if the entry comes from a log, has not been undone or redone
    ///   since, and no longer applies: because unobserved state was changed, or state was changed inside
    ///   ``untracked(_:)``. After an error, nothing has changed.
    /// - Complexity: O(what changed), whatever the size of the graph. For an array, O(*n*) in the number of its
    ///   elements.
    public func undo() throws { try recorder.step(redoing: false) }

    /// Redoes the entry that was undone last.
    ///
    /// - Throws: The errors of ``undo()``.
    /// - Complexity: That of ``undo()``.
    public func redo() throws { try recorder.step(redoing: true) }

    /// Whether there is an entry to undo. Reading it in an observer subscribes.
    public var canUndo: Bool { isUndoable.value }

    /// Whether there is an entry to redo. Reading it in an observer subscribes.
    public var canRedo: Bool { isRedoable.value }

    /// The number of entries that can be undone. Reading it in an observer subscribes.
    public var undoCount: Int { recorder.position.value.undoCount }

    /// The number of entries that can be redone. Reading it in an observer subscribes.
    public var redoCount: Int { recorder.position.value.redoCount }

    /// A number that grows with each change of the entries.
    package var version: Int { recorder.position.value.version }

    // MARK: - Changes that are not recorded

    /// Runs `body` as one transaction that is not recorded, for instance to load data.
    ///
    /// ```swift
    /// history.untracked { document.comments = loaded }
    /// ```
    ///
    /// Earlier changes are recorded as an entry first. Entries that can be redone remain. Later, undo leaves the
    /// changes of `body` in place, unless an entry changed the same value; then it writes the value of the entry. In an
    /// array, undo changes the elements of the entry, wherever they are by then. It writes sets, dictionaries and other
    /// values as a whole.
    ///
    /// In a transaction that can throw, or in one of a different graph, the changes become part of that transaction's
    /// entry, and `Diagnostics.onIssue` receives an issue. Writes that `body` causes in effects are recorded.
    ///
    /// - Parameter body: Runs synchronously on the calling thread, with the graph locked.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` throws, after its writes have been rolled back.
    /// - Complexity: O(what changed), in addition to `body`. If arrays or objects have changed, also O(*n*) in the
    ///   number of entries; the ``log`` then compares whole documents for older entries.
    @discardableResult
    public func untracked<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        try recorder.untracked(body)
    }

    /// Returns a listener that receives each later step until it is released.
    func listen() -> HistoryListener {
        let listener = HistoryListener(in: recorder.graph)
        recorder.add(listener)
        return listener
    }

    /// The graph that the history belongs to.
    var graph: GraphHandle { recorder.graph }

    // MARK: - Entries

    /// Starts a new entry with the next change, even within the merge window. Call it when the user leaves a field.
    public func seal() { recorder.change { $0.seal() } }

    /// Removes all entries. Call it when the root has become a different document.
    public func removeAll() { recorder.change { $0.removeAll() } }

    /// All entries as JSON Patches, which are created when you read this. Reading it in an observer subscribes.
    ///
    /// If an entry cannot be encoded, `Diagnostics.onIssue` receives an issue, and the log contains only the entries
    /// between it and the present.
    ///
    /// - Complexity: O(what all entries changed). An entry without known paths takes O(what encoding the root visits).
    ///   Paths are not known for entries that moved because of ``untracked(_:)``, for entries with more than eight
    ///   paths to one change, and for all entries if an `encode(to:)` reads observables itself.
    public var log: HistoryLog { recorder.log }

    /// Stops recording. The ``log`` stays as it is now; nothing can be undone or redone any more.
    ///
    /// - Complexity: That of the ``log``.
    public func end() { recorder.end() }
}

// Unchecked because the graph's lock guards all state, and the root may be used on any thread.
/// A history is `Sendable` if its root is: an actor that imports may then call ``untracked(_:)``.
extension History: @unchecked Sendable where Root: Sendable {}

/// Returns a closure that returns the time elapsed since now.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
private func elapsed<C: Clock>(on clock: C) -> () -> Duration where C.Duration == Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
}
