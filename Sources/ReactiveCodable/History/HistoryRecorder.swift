// What a history does under the graph's lock: recording what changes, and taking steps back and forth.
//
// The recorder is told of changes under the lock, as a part of what finds them. So there is never a change that has
// been found and not been recorded, and a step can first record what is still to be found:
//
//     undo:  begin a transaction          nobody else can change anything
//            catch up                     what this thread changed before becomes an entry
//            write the old values         into the observables that they were in
//            catch up, recording nothing  the reaction now knows the new state
//            move the cursor
//            end the transaction          observers of the root and of the history run, once
//
// Changes that are no step go the same path, with a closure of the user's in the middle.

import Reactive

final class HistoryRecorder<Root: Codable> {
    /// What becomes of changes that are found.
    private enum Mode {
        /// They become an entry.
        case recording
        /// They are those of a step.
        case stepping
        /// They are no step.
        case untracked
    }

    /// The graph that the root's state belongs to, and that of the history.
    let graph: GraphHandle
    private let root: Root
    private let strategies: CodingStrategies
    private let now: (() -> Duration)?
    private(set) var timeline: Timeline
    /// Where the timeline stands, for those who observe it.
    let position: Observable<Timeline.Position>
    private var mode = Mode.recording
    /// Gets what the step has changed that is being taken.
    private var stepFound: ((ChangeRecord) -> Void)?
    private(set) var reaction: Reaction?
    private var observer: DeepObserver?
    /// What is known of direct reads once the history has ended.
    private var hadDirectReads = false
    /// Those who get each step as it happens.
    private var listeners: [WeakListener] = []

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

    /// How many paths to one change an entry keeps for the log. With more, the log compares whole documents: finding
    /// them would cost each write among objects that refer to each other too much.
    private let pathLimit = 8

    /// What messages call the history.
    private var name: String { reaction?.name ?? "A history" }

    // MARK: - Recording

    /// Starts to record, with the entries of a log that must fit.
    func begin(_ log: HistoryLog, named name: String?, fileID: StaticString, line: UInt) throws {
        try graph.withUntrackedLock {
            if !log.done.isEmpty || !log.undone.isEmpty {
                try log.check(against: root, strategies)
                timeline.restore(done: log.done.map(\.invertible), undone: log.undone.map(\.invertible))
            }
            start(named: name, fileID: fileID, line: line)
            publish()
        }
    }

    /// Starts to record.
    func begin(named name: String?, fileID: StaticString, line: UInt) {
        // Locked, since the reaction may run on a different thread before it is stored.
        if graph.isOutOfReach {
            start(named: name, fileID: fileID, line: line)
        } else {
            graph.withUntrackedLock { start(named: name, fileID: fileID, line: line) }
        }
    }

    private func start(named name: String?, fileID: StaticString, line: UInt) {
        // Weakly: the reaction may run once more after the history was released. It is cancelled later if that happened in
        // a transaction of a different graph, and at the end of a run if it happened inside that.
        let observer = DeepObserver(
            in: graph, ValueCell.maker(for: root), .underLock { [weak self] in self?.found($0) }, pathLimit: pathLimit,
            recordsStates: true)
        self.observer = observer
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
            hadDirectReads = observer?.directReads?.haveBeenMet ?? hadDirectReads
            reaction?.cancel()
            publish()
        }
    }

    private func found(_ record: ChangeRecord) {
        switch mode {
        case .recording:
            timeline.record(record, at: now?())
            report(.done, record)
            publish()
        case .stepping:
            stepFound?(record)
        case .untracked:
            timeline.makeRoom(for: RecordedStep(record, withPaths: false))
            publish()
        }
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

    /// Writes what an entry says. Returns what the entry is from then on.
    private func take(_ content: Timeline.Content, redoing: Bool, _ reaction: Reaction) throws -> Timeline.Content {
        switch content {
        case .step(let step):
            if redoing { step.redo() } else { step.undo() }
        case .patch(let patch):
            try apply(redoing ? patch : patch.inverse, to: root, strategies)
        }
        var result = content
        // Runs before this function returns, so there is a `self`.
        stepFound = { [unowned self] record in
            report(redoing ? .redone : .undone, record)
            switch content {
            case .step(let step): step.keepDeparted(record)
            case .patch(let patch): result = .step(RecordedStep(patch, record, isTakenBack: !redoing))
            }
        }
        defer { stepFound = nil }
        reaction.catchUp()
        return result
    }

    /// Changes the timeline, once it is up to date.
    func change(_ body: (inout Timeline) -> Void) {
        graph.withUntrackedLock {
            reaction?.catchUp()
            body(&timeline)
            publish()
        }
    }

    /// Runs `body` as one transaction that is no step.
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
            untracked of \(name) was called inside a transaction that can throw, or in one of another graph. If that was \
            rolled back, root and history would no longer agree. The changes become a part of that transaction's entry. \
            Call untracked when the transaction is over.
            """, site: name)
    }

    // MARK: - The log

    /// The entries. Reading them in an observer subscribes.
    var log: HistoryLog {
        _ = position.value
        return graph.withUntrackedLock {
            reaction?.catchUp()
            let maker = LogMaker(
                root: root, strategies: strategies, name: name,
                takesSteps: observer?.directReads?.haveBeenMet ?? hadDirectReads)
            return maker.log(of: timeline)
        }
    }

    // MARK: - Listeners

    /// Adds someone who gets each step from now on, until it is released.
    func add(_ listener: HistoryListener) {
        graph.withUntrackedLock {
            reaction?.catchUp()
            listeners.removeAll { $0.listener == nil }
            listeners.append(WeakListener(listener: listener))
        }
    }

    private func report(_ kind: HistoryStep.Kind, _ record: ChangeRecord) {
        guard !listeners.isEmpty else { return }
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
                A listener to the steps of \(name) misses one, because a change could not be encoded: \(error). \
                Fix what encode(to:) throws.
                """, site: name)
        }
    }
}

private struct WeakListener {
    weak var listener: HistoryListener?
}
