// Creates the log of a history on request: its entries as JSON Patches.
//
// Entries contain observables and values. Patches need the JSON of these values and of everything in them, as it was at
// that moment. So the log maker starts at the present and proceeds to the past over the done entries, and to the future
// over the undone ones. A view keeps the values at each moment:
//
//     the oldest ◀── done ── present ── undone ──▶ the last one
//
// The patch of an entry is the difference of the changed values in the views before and after it, at the paths recorded
// with the entry. If the paths are missing, it is the difference of the whole documents.
//
// A view shows earlier values to encoders. But an `encode(to:)` that reads observables itself would get the present
// values. Once a history has met such a type, the log maker undoes and redoes the entries instead, in a transaction
// that is rolled back in the end.

import Reactive

/// Creates a log. Lives for the length of a call, under the lock, untracked.
struct LogMaker<Root: Codable> {
    let root: Root
    let strategies: CodingStrategies
    /// The name of the history in messages.
    let name: String
    /// Whether an `encode(to:)` reads observables itself, so that the entries must be undone and redone.
    let replaysEntries: Bool

    /// Returns the log of a timeline.
    func log(of timeline: Timeline) -> HistoryLog {
        HistoryLog(
            done: entries(of: timeline.done.reversed(), isGoingBack: true).reversed(),
            undone: entries(of: timeline.undone, isGoingBack: false))
    }

    /// Returns the log's entries, beginning at the present. Stops before the first one that cannot be encoded.
    private func entries(of contents: [Timeline.Content], isGoingBack: Bool) -> [HistoryLog.Entry] {
        guard !contents.isEmpty else { return [] }
        var result: [HistoryLog.Entry] = []
        do {
            if replaysEntries {
                try replayEntries(contents, isGoingBack) { result.append(HistoryLog.Entry($0)) }
            } else {
                try readEntries(contents, isGoingBack) { result.append(HistoryLog.Entry($0)) }
            }
        } catch {
            Diagnostics.reportFailedEncoding(
                """
                The log of \(name) lacks entries, because one of them could not be encoded: \(error). It contains only \
                the entries between that one and the present. Fix the encode(to:) that throws this error.
                """, site: name)
        }
        return result
    }

    // MARK: - With views

    private func readEntries(
        _ contents: [Timeline.Content], _ isGoingBack: Bool, _ body: (JSONPatch) -> Void
    ) throws {
        let values = MomentValues()
        let typedRoot = TypedValue(root)
        for content in contents {
            guard case .transaction(let transaction) = content else {
                if case .patch(let patch) = content { body(patch) }
                continue
            }
            var near: [SavedValue?] = []
            var far: [SavedValue?] = []
            let farView = MomentView(values)
            for change in transaction.changes {
                let value = values[change.identity]
                let other = isGoingBack ? change.valueBefore(value) : change.valueAfter(value)
                near.append(value ?? change.presentValue)
                far.append(other)
                if let other { farView.values[change.identity] = other }
            }
            if let patch = transaction.patch {
                body(patch)
            } else {
                let moments = [MomentView(values), farView].map { PatchBuilder.Moment(view: $0, root: typedRoot) }
                let builder = PatchBuilder(
                    before: moments[isGoingBack ? 1 : 0], after: moments[isGoingBack ? 0 : 1], strategies: strategies)
                let (old, new) = isGoingBack ? (far, near) : (near, far)
                let changes = transaction.paths.map { paths in
                    paths.map { PatchBuilder.Change(path: $0.path, old: old[$0.change], new: new[$0.change]) }
                }
                body(try changes.map { try builder.patch(of: $0) } ?? builder.patchOfEverything())
            }
            values.add(farView.values)
        }
    }

    // MARK: - By undoing and redoing

    private struct Enough: Error {}

    private func replayEntries(
        _ contents: [Timeline.Content], _ isGoingBack: Bool, _ body: (JSONPatch) -> Void
    ) throws {
        var failure: (any Error)?
        try? inTransaction { () throws(Enough) in
            do {
                var near = try JSONValue(encoding: root, strategies)
                for content in contents {
                    guard case .transaction(let transaction) = content else {
                        if case .patch(let patch) = content { body(patch) }
                        continue
                    }
                    if isGoingBack { transaction.undo() } else { transaction.redo() }
                    let far = try JSONValue(encoding: root, strategies)
                    body(
                        transaction.patch
                            ?? (isGoingBack ? JSONPatch(from: far, to: near) : JSONPatch(from: near, to: far)))
                    near = far
                }
            } catch {
                failure = error
            }
            throw Enough()
        }
        if let failure { throw failure }
    }
}

/// The values of observables at a moment, if they differ from the present ones. Used under the lock.
private final class MomentValues {
    private var values: [Identity: SavedValue] = [:]

    subscript(identity: Identity) -> SavedValue? { values[identity] }

    func add(_ others: [Identity: SavedValue]) { values.merge(others) { $1 } }
}

/// A view of the graph at a moment: the values of an adjacent moment, and those that differ from them.
private final class MomentView: PastView, @unchecked Sendable {
    private let nearby: MomentValues
    var values: [Identity: SavedValue] = [:]

    init(_ nearby: MomentValues) { self.nearby = nearby }

    override func saved(of identity: Identity) -> SavedValue? { values[identity] ?? nearby[identity] }
}
