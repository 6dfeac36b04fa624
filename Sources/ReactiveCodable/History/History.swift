// `History`: undo and redo for whatever can be encoded.

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Records what changes in an object graph, to undo it and to do it again.
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
/// - Each transaction that changes anything that encoding the root reaches becomes one entry: the observables that
///   changed, with their values before and after. Nothing but `Codable` is asked of the root.
/// - Undoing writes the old values back into the same observables, redoing the new ones. Objects keep their identity,
///   shared objects stay shared, cycles stay cycles, and values of any type come back as they were, sets included.
/// - A step is one transaction, is not recorded, and writes only what differs, so that observers stay attached.
/// - An entry also keeps the values in what left the graph, and in what came into it. A step that brings an object back
///   brings back its content too, even if somebody changed that meanwhile.
/// - Of an array, an entry keeps the elements that differ; of all other values, both.
/// - Plain stored properties of classes are not observed. Changes of them are no entries, and no step changes them.
/// - A change after undoing drops what could have been redone.
/// - With a merge window, changes that follow each other faster become one entry, as editors do with typing: only if
///   they replace values of the same observables, and these are no arrays, sets or dictionaries. Nothing merges across
///   a step, ``seal()`` or the beginning of a log. An edit that is merged back to nothing leaves no entry.
/// - Changes in ``untracked(_:)`` are no entries, and undoing leaves them in place.
/// - Where an `encode(to:)` reads observables itself, or through computeds, these observables are recorded too.
/// - Memory is bounded by a ``HistoryLimit``.
/// - What effects write becomes entries too: in that of the transaction that caused them if their reaction is older
///   than the history, else one of its own. Let what follows from other state be a `Computed`, or make the history
///   last. An effect that writes another value each time it runs, such as the time, does so after a step as well: what
///   could have been redone is dropped then.
///
/// A history belongs to the graph that the root's state belongs to, wherever it is created. In a transaction of a
/// different graph a step throws.
///
/// May be used from any thread if the root may. Each transaction is an entry of its own, except that what other threads
/// change while effects of older reactions run may join it. A step comes before or after each transaction of other
/// threads. In the middle of a transaction, it first makes what that has changed so far an entry; in one that can
/// throw, it refuses.
///
/// It records until ``end()``, or until it is released.
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

    /// Creates a history that begins with the present state of `root`, and makes each transaction an entry.
    ///
    /// - Parameters:
    ///   - root: Where to begin. Kept as long as the history.
    ///   - limit: How much to remember.
    ///   - encoder: Whose strategies and user info the patches follow.
    ///   - decoder: The counterpart of `encoder`.
    ///   - name: What diagnostics call it. Without one: the file and line that made it.
    ///   - fileID: The file that made it.
    ///   - line: The line that made it.
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

    /// Creates a history that goes on where a log ends, and makes each transaction an entry.
    ///
    /// - Parameters:
    ///   - root: The root, as it was when the log was taken.
    ///   - log: The entries to begin with.
    ///   - limit: How much to remember.
    ///   - encoder: Whose strategies and user info the patches follow: the same as those of the log.
    ///   - decoder: The counterpart of `encoder`.
    ///   - name: What diagnostics call it. Without one: the file and line that made it.
    ///   - fileID: The file that made it.
    ///   - line: The line that made it.
    /// - Throws: ``HistoryError`` if the log does not fit the root; what encoding the root throws.
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

    /// Creates a history that begins with the present state of `root`, and merges changes that follow each other
    /// quickly.
    ///
    /// - Parameters:
    ///   - root: Where to begin. Kept as long as the history.
    ///   - mergeWindow: Changes of the same values merge if less than this lies between two of them; `nil` for never.
    ///   - clock: Where time comes from; tests hand in their own.
    ///   - limit: How much to remember.
    ///   - encoder: Whose strategies and user info the patches follow.
    ///   - decoder: The counterpart of `encoder`.
    ///   - name: What diagnostics call it. Without one: the file and line that made it.
    ///   - fileID: The file that made it.
    ///   - line: The line that made it.
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

    /// Creates a history that goes on where a log ends, and merges changes that follow each other quickly.
    ///
    /// - Parameters:
    ///   - root: The root, as it was when the log was taken.
    ///   - log: The entries to begin with.
    ///   - mergeWindow: Changes of the same values merge if less than this lies between two of them; `nil` for never.
    ///   - clock: Where time comes from; tests hand in their own.
    ///   - limit: How much to remember.
    ///   - encoder: Whose strategies and user info the patches follow: the same as those of the log.
    ///   - decoder: The counterpart of `encoder`.
    ///   - name: What diagnostics call it. Without one: the file and line that made it.
    ///   - fileID: The file that made it.
    ///   - line: The line that made it.
    /// - Throws: ``HistoryError`` if the log does not fit the root; what encoding the root throws.
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

    // MARK: - Steps

    /// Undoes the last entry.
    ///
    /// - Throws: ``HistoryError`` if there is nothing to undo, the history has ended, or the call is part of a
    ///   transaction that can throw. For an entry that comes from a log, and has not been undone or redone since,
    ///   `JSONPatchError` if it does not fit any more, because state was changed that nobody observes, or in
    ///   ``untracked(_:)``. Nothing has changed then.
    /// - Complexity: O(what changed), whatever the size of the graph; for an array the number of its elements.
    public func undo() throws { try recorder.step(redoing: false) }

    /// Redoes the entry that was undone last.
    ///
    /// - Throws: As ``undo()``.
    /// - Complexity: As ``undo()``.
    public func redo() throws { try recorder.step(redoing: true) }

    /// Whether there is something to undo. Reading it in an observer subscribes.
    public var canUndo: Bool { isUndoable.value }

    /// Whether there is something to redo. Reading it in an observer subscribes.
    public var canRedo: Bool { isRedoable.value }

    /// How many steps can be undone. Reading it in an observer subscribes.
    public var undoCount: Int { recorder.position.value.undoCount }

    /// How many steps can be redone. Reading it in an observer subscribes.
    public var redoCount: Int { recorder.position.value.redoCount }

    // MARK: - Changes that are no step

    /// Runs `body` as one transaction whose changes are no entry: for loading.
    ///
    /// ```swift
    /// history.untracked { document.comments = loaded }
    /// ```
    ///
    /// What changed before becomes an entry first. What can be redone stays. Undoing later leaves the changes of `body`
    /// in place, unless an entry has changed the same value: it writes its own value then. Of an array, it changes its
    /// own elements, wherever they are by then; sets, dictionaries and other values are written as wholes.
    ///
    /// In a transaction that can throw, or in one of a different graph, the changes become a part of that transaction's
    /// entry, and an issue is reported to `Diagnostics.onIssue`. What effects write because of `body` is recorded.
    ///
    /// - Parameter body: Runs immediately on the calling thread, with the graph locked.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, after its writes have been rolled back.
    /// - Complexity: O(what changed) besides `body`. Where arrays or objects have changed, O(*n*) in the number of
    ///   entries; the ``log`` of older entries then compares whole documents.
    @discardableResult
    public func untracked<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        try recorder.untracked(body)
    }

    /// Someone who gets each step from now on, until it is released.
    func listen() -> HistoryListener {
        let listener = HistoryListener(in: recorder.graph)
        recorder.add(listener)
        return listener
    }

    /// The graph that the history belongs to.
    var graph: GraphHandle { recorder.graph }

    // MARK: - Entries

    /// Makes the next change an entry of its own, however soon it follows: for when the user leaves a field.
    public func seal() { recorder.change { $0.seal() } }

    /// Forgets all entries: for when the root has become another document.
    public func removeAll() { recorder.change { $0.removeAll() } }

    /// All entries, as JSON Patches, which are created when this is read. Reading them in an observer subscribes.
    ///
    /// An entry that cannot be encoded is reported to `Diagnostics.onIssue`, and the log has only those between that
    /// entry and the present.
    ///
    /// - Complexity: O(what all entries changed). An entry for which no paths are known takes O(what encoding the root
    ///   visits): one that has moved in ``untracked(_:)``, one with more than eight paths to one change, and every entry
    ///   if an `encode(to:)` reads observables itself.
    public var log: HistoryLog { recorder.log }

    /// Stops recording. The ``log`` stays; there is nothing to undo or redo any more.
    public func end() { recorder.end() }
}

// Sendable because all state is guarded by the graph's lock, and the root may be used from any thread.
extension History: @unchecked Sendable where Root: Sendable {}

/// A closure that says how much time has passed since now.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
private func elapsed<C: Clock>(on clock: C) -> () -> Duration where C.Duration == Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
}
