// What a history does under the graph's lock: recording what changes, and taking steps back and forth.
//
// The recorder is told of changes under the lock, as a part of what finds them. So there is never a change that has
// been found and not been recorded, and a step can first record what is still to be found:
//
//     undo:  begin a transaction          nobody else can change anything
//            catch up                     what this thread changed before becomes an entry
//            apply the inverse patch      all or nothing
//            catch up, recording nothing  the reaction now knows the new state
//            move the cursor
//            end the transaction          observers of the root and of the history run, once

import Reactive

final class HistoryRecorder<Root: Codable> {
    /// The graph that the root's state belongs to, and that of the history.
    let graph: GraphHandle
    private let root: Root
    private let strategies: CodingStrategies
    private let now: (() -> Duration)?
    private(set) var timeline: Timeline
    /// Where the timeline stands, for those who observe it.
    let position: Observable<Timeline.Position>
    private var isTakingStep = false
    private(set) var reaction: Reaction?

    init(
        _ root: Root, limit: HistoryLimit, mergeWindow: Duration?, now: (() -> Duration)?,
        _ strategies: CodingStrategies
    ) {
        graph = GraphHandle(ofStateIn: root)
        position = graph.run { Observable(Timeline.Position()) }
        self.root = root
        self.strategies = strategies
        self.now = now
        timeline = Timeline(limit: limit, mergeWindow: mergeWindow)
    }

    // MARK: - Recording

    /// Starts to record, with the entries of a log that must fit.
    func begin(_ log: HistoryLog, named name: String?, fileID: StaticString, line: UInt) throws {
        try graph.withUntrackedLock {
            if !log.done.isEmpty || !log.undone.isEmpty {
                try log.check(against: root, strategies)
                timeline.restore(done: log.done.map(\.invertible), undone: log.undone.map(\.invertible))
            }
            begin(named: name, fileID: fileID, line: line)
            publish()
        }
    }

    /// Starts to record.
    func begin(named name: String?, fileID: StaticString, line: UInt) {
        let observer = DeepObserver(
            in: graph, ValueCell.maker(for: root), .underLock { [unowned self] in record(DeepChanges($0)) })
        reaction = graph.run {
            detached {
                Reaction.made(
                    of: observer, named: name, schedule: .immediate, isolation: nil, fileID: fileID, line: line)
            }
        }
    }

    /// Stops recording, and leaves nothing to undo.
    func end() {
        graph.withUntrackedLock {
            reaction?.catchUp()
            reaction?.cancel()
            publish()
        }
    }

    private func record(_ changes: DeepChanges) {
        guard !isTakingStep else { return }
        do {
            timeline.record(try changes.jsonPatch(strategies), at: now?())
        } catch {
            timeline.removeAll()
            let name = reaction?.name ?? "A history"
            Diagnostics.reportFailedEncoding(
                """
                \(name) has forgotten all entries, because a change could not be encoded: \(error). \
                What comes after it is recorded. Mend what encode(to:) throws.
                """, site: name)
        }
        publish()
    }

    private func publish() {
        let hasEnded = reaction?.isCancelled ?? true
        position.value = hasEnded ? Timeline.Position(version: timeline.position.version) : timeline.position
    }

    // MARK: - Steps

    /// Undoes or redoes an entry.
    func step(redoing: Bool) throws {
        if graph.mayRollBack || graph.isOutOfReach {
            throw HistoryError.insideTransaction(redoing ? "redo()" : "undo()")
        }
        try graph.withUntrackedLock {
            try inTransaction(onError: .commit) {
                guard let reaction, !reaction.isCancelled else { throw HistoryError.ended }
                reaction.catchUp()
                guard let patch = redoing ? timeline.nextToRedo : try timeline.nextToUndo?.inverse else {
                    throw HistoryError.nothing(toRedo: redoing)
                }
                try apply(patch, to: root, strategies)
                isTakingStep = true
                defer { isTakingStep = false }
                reaction.catchUp()
                if redoing { timeline.didRedo() } else { timeline.didUndo() }
                publish()
            }
        }
    }

    /// Changes the timeline, once it is up to date.
    func change(_ body: (inout Timeline) -> Void) {
        graph.withUntrackedLock {
            reaction?.catchUp()
            body(&timeline)
            publish()
        }
    }

    /// The entries. Reading them in an observer subscribes.
    var log: HistoryLog {
        _ = position.value
        return graph.withUntrackedLock {
            reaction?.catchUp()
            return HistoryLog(done: timeline.done.map { .init($0) }, undone: timeline.undone.map { .init($0) })
        }
    }
}
