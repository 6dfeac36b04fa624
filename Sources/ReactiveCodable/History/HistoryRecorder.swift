// The part of a history that runs under the graph's lock: it records changes, and undoes and redoes entries.
//
// The observation reports changes to the recorder under the lock, when it finds them. So every change that was found is
// recorded, and an undo can first record the changes that were not found yet:
//
//     undo:  begin a transaction          no other thread can change anything
//            catch up                     earlier changes of this thread become an entry
//            write the old values         into the same observables
//            catch up, recording nothing  the reaction now knows the new state
//            move the cursor
//            end the transaction          observers of the root and of the history run, once
//
// Changes that are not recorded take the same path, with the user's closure in the middle.

import Reactive

final class HistoryRecorder<Root: Codable> {
    /// The treatment of changes that are found.
    private enum Mode {
        /// They become an entry.
        case recording
        /// They belong to an undo or a redo.
        case stepping
        /// They are not recorded.
        case untracked
    }

    /// The graph of the root's state and of the history.
    let graph: GraphHandle
    private let root: Root
    private let strategies: CodingStrategies
    private let now: (() -> Duration)?
    private(set) var timeline: Timeline
    /// The position in the timeline, for observers.
    let position: Observable<Timeline.Position>
    private var mode = Mode.recording
    /// Receives the changes of the undo or redo in progress.
    private var stepFound: ((ChangeRecord) -> Void)?
    private(set) var reaction: Reaction?
    private var observer: DeepObserver?
    /// The log when the history ended.
    private var lastLog: HistoryLog?
    /// The listeners that receive each step.
    private var listeners: [WeakListener] = []

    init(
        _ root: Root, limit: HistoryLimit, mergeWindow: Duration?, now: (() -> Duration)?,
        _ strategies: CodingStrategies
    ) {
        graph = GraphHandle(ofStateIn: root)
        position = graph.run { Observable(Timeline.Position(), named: "position of a history") }
        self.root = root
        self.strategies = strategies
        self.now = now
        timeline = Timeline(limit: limit, mergeWindow: mergeWindow)
    }

    /// The maximum number of paths to one change that an entry keeps for the log. With more paths, the log compares
    /// whole documents: among objects that refer to each other, finding all paths would make each write too slow.
    private let pathLimit = 8

    /// The name of the history in messages.
    private var name: String { reaction?.name ?? "A history" }

    // MARK: - Recording

    /// Starts recording, with the entries of a log, which must fit.
    func begin(_ log: HistoryLog, named name: String?, fileID: StaticString, line: UInt) throws {
        try graph.withUntrackedLock {
            try log.check(against: root, strategies)
            timeline.restore(done: log.done.map(\.invertible), undone: log.undone.map(\.invertible))
            start(named: name, fileID: fileID, line: line)
            publish()
        }
    }

    /// Starts recording.
    func begin(named name: String?, fileID: StaticString, line: UInt) {
        // Locked, since the reaction may run on a different thread before it is stored. The graph is never out of reach
        // here: while the thread holds a graph, the history belongs to that one.
        graph.withUntrackedLock { start(named: name, fileID: fileID, line: line) }
    }

    private func start(named name: String?, fileID: StaticString, line: UInt) {
        // The reaction holds the history weakly: it may run once more after the history was released. If the history
        // was released in a transaction of a different graph, the reaction is cancelled later; if inside a run, at the
        // end of that run.
        let observer = DeepObserver(
            in: graph, ValueCell.maker(for: root), .underLock { [weak self] in self?.found($0) }, pathLimit: pathLimit,
            recordsStates: true)
        self.observer = observer
        reaction = graph.run {
            detached {
                Reaction.started(
                    of: observer, named: name, schedule: .immediate, isolation: nil, fileID: fileID, line: line)
            }
        }
    }

    /// Stops recording. Nothing can be undone afterwards.
    func end() {
        graph.withUntrackedLock {
            guard let reaction, !reaction.isCancelled else { return }
            reaction.catchUp()
            // Later changes of the root would be part of the entries.
            lastLog = makeLog()
            reaction.cancel()
            publish()
        }
    }

    private func found(_ record: ChangeRecord) {
        switch mode {
        case .recording:
            if timeline.record(record, at: now?()) { report(.done, record) }
            publish()
        case .stepping:
            stepFound?(record)
        case .untracked:
            // No test sees this: it only saves a search for paths, which are not used.
            timeline.makeRoom(for: RecordedTransaction(record, withPaths: false))
            publish()
        }
    }

    private func publish() {
        // No test sees this: the reaction is stored before anything is published.
        let hasEnded = reaction?.isCancelled ?? true
        position.value = hasEnded ? Timeline.Position(version: timeline.position.version) : timeline.position
    }

    // MARK: - Undoing and redoing

    /// Undoes or redoes an entry.
    func step(redoing: Bool) throws {
        if graph.mayRollBack || graph.isOutOfReach {
            throw HistoryError.insideTransaction(redoing ? "redo()" : "undo()")
        }
        try graph.withUntrackedLock {
            try inTransaction(onError: .commit) {
                guard let reaction, !reaction.isCancelled else { throw HistoryError.ended }
                reaction.catchUp()
                guard let content = redoing ? timeline.nextToRedo : timeline.nextToUndo else {
                    throw HistoryError.nothing(toRedo: redoing)
                }
                let outerMode = mode
                mode = .stepping
                defer { mode = outerMode }
                let result = try take(content, redoing: redoing, reaction)
                if redoing { timeline.didRedo(result) } else { timeline.didUndo(result) }
                publish()
            }
        }
    }

    /// Writes the values of an entry. Returns the new content of the entry.
    private func take(_ content: Timeline.Content, redoing: Bool, _ reaction: Reaction) throws -> Timeline.Content {
        switch content {
        case .transaction(let transaction):
            if redoing { transaction.redo() } else { transaction.undo() }
        case .patch(let patch):
            try apply(redoing ? patch : patch.inverse, to: root, strategies)
        }
        var result = content
        // `self` exists in this closure, because the closure runs before this function returns.
        stepFound = { [unowned self] record in
            report(redoing ? .redone : .undone, record)
            switch content {
            case .transaction(let transaction): transaction.keepDeparted(record)
            case .patch(let patch): result = .transaction(RecordedTransaction(patch, record, isUndone: !redoing))
            }
        }
        defer { stepFound = nil }
        reaction.catchUp()
        return result
    }

    /// Brings the timeline up to date, then changes it.
    func change(_ body: (inout Timeline) -> Void) {
        graph.withUntrackedLock {
            reaction?.catchUp()
            body(&timeline)
            if timeline.position.first == timeline.position.end { lastLog = nil }
            publish()
        }
    }

    /// Runs `body` as one transaction that is not recorded.
    func untracked<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        if graph.mayRollBack || graph.isOutOfReach {
            reportTrackedAnyway()
            return try body()
        }
        return try graph.withLock { () throws(E) in
            try inTransaction(onError: .commit) { () throws(E) in
                let outerMode = mode
                Reactive.untracked { reaction?.catchUp() }
                mode = .untracked
                defer {
                    Reactive.untracked { reaction?.catchUp() }
                    mode = outerMode
                }
                return try inTransaction(body)
            }
        }
    }

    private func reportTrackedAnyway() {
        Hosting.report(
            .misuse,
            """
            untracked of \(name) was called inside a transaction that can throw, or inside a transaction of a \
            different graph. The changes are recorded in that transaction's entry: otherwise a rollback would leave \
            the root and the history inconsistent. Call untracked after the transaction.
            """, site: name)
    }

    // MARK: - The log

    /// The entries. Reading them in an observer subscribes.
    var log: HistoryLog {
        _ = position.value
        return graph.withUntrackedLock {
            reaction?.catchUp()
            return lastLog ?? makeLog()
        }
    }

    private func makeLog() -> HistoryLog {
        let maker = LogMaker(
            root: root, strategies: strategies, name: name, replaysEntries: observer?.directReads?.haveBeenMet == true)
        return maker.log(of: timeline)
    }

    // MARK: - Listeners

    /// Adds a listener that receives each later step until it is released.
    func add(_ listener: HistoryListener) {
        graph.withUntrackedLock {
            reaction?.catchUp()
            // No test sees this left out: it only frees memory earlier than the next step does.
            listeners.removeAll { $0.listener == nil }
            listeners.append(WeakListener(listener: listener))
        }
    }

    private func report(_ kind: HistoryStep.Kind, _ record: ChangeRecord) {
        listeners.removeAll { $0.listener == nil }
        guard !listeners.isEmpty else { return }
        do {
            let patch = try DeepChanges(record).jsonPatch(strategies)
            guard !patch.isEmpty else { return }
            let step = HistoryStep(kind: kind, patch: patch)
            for listener in listeners { listener.listener?.add(step) }
        } catch {
            Diagnostics.reportFailedEncoding(
                """
                A step of \(name) was not reported to its listeners, because a change could not be encoded: \(error). \
                Fix the encode(to:) that throws this error.
                """, site: name)
        }
    }
}

private struct WeakListener {
    weak var listener: HistoryListener?
}
