// The log of a history: its entries as JSON Patches, created when somebody asks.
//
// Entries know observables and values. Patches need the JSON of these values as they were then, and what lay in them.
// So the log goes from the present to the past, over what was done, and to the future, over what was undone, and keeps
// the values at each moment in a view:
//
//     the oldest ◀── done ── present ── undone ──▶ the last one
//
// An entry's patch is the difference of the changed values in the views before and after it, at the paths that were
// recorded with the entry. Where paths are missing, it is the difference of the whole documents.
//
// A view shows earlier values to encoders. An `encode(to:)` that reads observables itself would find the present values
// instead. Once a history has met one, the log is found by really taking the steps, in a transaction that is rolled
// back in the end.

import Reactive

/// Creates a log. Lives for the length of a call, under the lock, untracked.
struct LogMaker<Root: Codable> {
    let root: Root
    let strategies: CodingStrategies
    /// What messages call the history.
    let name: String
    /// An `encode(to:)` reads observables itself.
    let takesSteps: Bool

    /// The log of a timeline.
    func log(of timeline: Timeline) -> HistoryLog {
        HistoryLog(
            done: entries(of: timeline.done.reversed(), isGoingBack: true).reversed(),
            undone: entries(of: timeline.undone, isGoingBack: false))
    }

    /// The log's entries, beginning at the present. Ends before the first one that cannot be encoded.
    private func entries(of contents: [Timeline.Content], isGoingBack: Bool) -> [HistoryLog.Entry] {
        guard !contents.isEmpty else { return [] }
        var result: [HistoryLog.Entry] = []
        do {
            if takesSteps {
                try takeSteps(contents, isGoingBack) { result.append(HistoryLog.Entry($0)) }
            } else {
                try lookAtSteps(contents, isGoingBack) { result.append(HistoryLog.Entry($0)) }
            }
        } catch {
            Diagnostics.reportFailedEncoding(
                """
                The log of \(name) lacks entries, because one of them could not be encoded: \(error). It has those \
                between that entry and the present. Fix what encode(to:) throws.
                """, site: name)
        }
        return result
    }

    // MARK: - With views

    private func lookAtSteps(
        _ contents: [Timeline.Content], _ isGoingBack: Bool, _ body: (JSONPatch) -> Void
    ) throws {
        let values = MomentValues()
        let typedRoot = TypedValue(root)
        for content in contents {
            guard case .step(let step) = content else {
                if case .patch(let patch) = content { body(patch) }
                continue
            }
            var near: [SavedValue?] = []
            var far: [SavedValue?] = []
            let farView = MomentView(values)
            for change in step.changes {
                let value = values[change.identity]
                let other = isGoingBack ? change.valueBefore(value) : change.valueAfter(value)
                near.append(value ?? change.presentValue)
                far.append(other)
                if let other { farView.values[change.identity] = other }
            }
            if let patch = step.patch {
                body(patch)
            } else {
                let moments = [MomentView(values), farView].map { PatchBuilder.Moment(view: $0, root: typedRoot) }
                let builder = PatchBuilder(
                    before: moments[isGoingBack ? 1 : 0], after: moments[isGoingBack ? 0 : 1], strategies: strategies)
                let (old, new) = isGoingBack ? (far, near) : (near, far)
                let changes = step.paths.map { paths in
                    paths.map { PatchBuilder.Change(path: $0.path, old: old[$0.change], new: new[$0.change]) }
                }
                body(try changes.map { try builder.patch(of: $0) } ?? builder.patchOfEverything())
            }
            values.add(farView.values)
        }
    }

    // MARK: - With steps

    private struct Enough: Error {}

    private func takeSteps(
        _ contents: [Timeline.Content], _ isGoingBack: Bool, _ body: (JSONPatch) -> Void
    ) throws {
        var failure: (any Error)?
        try? inTransaction { () throws(Enough) in
            do {
                var near = try JSONValue(encoding: root, strategies)
                for content in contents {
                    guard case .step(let step) = content else {
                        if case .patch(let patch) = content { body(patch) }
                        continue
                    }
                    if isGoingBack { step.undo() } else { step.redo() }
                    let far = try JSONValue(encoding: root, strategies)
                    body(step.patch ?? (isGoingBack ? JSONPatch(from: far, to: near) : JSONPatch(from: near, to: far)))
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

/// The values that observables had at a moment, as far as they were others than now. Used under the lock.
private final class MomentValues {
    private var values: [Identity: SavedValue] = [:]

    subscript(identity: Identity) -> SavedValue? { values[identity] }

    func add(_ others: [Identity: SavedValue]) { values.merge(others) { $1 } }
}

/// The graph at a moment: values of a moment nearby, and those that differ from them.
private final class MomentView: PastView, @unchecked Sendable {
    private let nearby: MomentValues
    var values: [Identity: SavedValue] = [:]

    init(_ nearby: MomentValues) { self.nearby = nearby }

    override func saved(of identity: Identity) -> SavedValue? { values[identity] ?? nearby[identity] }
}
