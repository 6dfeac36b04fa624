// One attempt of an asynchronous node to find its value: a task, what it has read, and what came out.

import Reactive

/// A run of an asynchronous node. Guarded by the graph's lock, except for the task's own work.
@usableFromInline
final class Run: @unchecked Sendable {
    // Sendable because everything but the task's own work is done under the graph's lock.

    /// What it runs for.
    private weak var loader: Loader?
    /// The graph of the store.
    let graph: GraphHandle
    private(set) var inputs: RunInputs
    /// `nil` while it is pending.
    @exclusivity(unchecked) private(set) var outcome: Loader.Outcome?
    /// The last data before it.
    let previous: AnyLoadedValue?
    /// Whether those are shown as present data meanwhile.
    let keepsData: Bool
    /// The gates of what the run before has read: this one will probably read the same, and what is kept only while it
    /// is observed must not go in between. Until this run has ended.
    @exclusivity(unchecked) private var heldGates: [AnyObject] = []
    @exclusivity(unchecked) private var task: Task<Void, Never>?
    @exclusivity(unchecked) private var isCancelled = false

    init(
        for loader: Loader, previous: AnyLoadedValue?, keepsData: Bool, inputs: RunInputs = RunInputs(),
        outcome: Loader.Outcome? = nil
    ) {
        self.loader = loader
        graph = loader.graph
        self.previous = previous
        self.keepsData = keepsData
        self.inputs = inputs
        self.outcome = outcome
    }

    var isPending: Bool { outcome == nil }

    /// The last data, its own included.
    var latest: AnyLoadedValue? { (try? outcome?.get()) ?? previous }

    // MARK: - The task

    /// Starts the task. Outside the lock, which the task wants at once.
    ///
    /// - Parameters:
    ///   - actor: The actor on which the inputs are compared, before and after; `nil` for anywhere.
    ///   - compute: Finds the value. It goes where it belongs.
    func start(on actor: (any Actor)?, _ compute: @escaping Loader.Compute) {
        let task = Task { await run(isolation: actor, compute) }
        let isLate = graph.withLock {
            self.task = task
            return isCancelled
        }
        if isLate { task.cancel() }
    }

    private func run(isolation: isolated (any Actor)?, _ compute: Loader.Compute) async {
        guard graph.withLock({ loader?.isCurrent(self) ?? false }) else { return }
        let outcome: Loader.Outcome
        do {
            outcome = .success(try await compute(StateGetter(.run(self))))
        } catch {
            outcome = .failure(error)
        }
        let waiters = graph.withLock { loader?.finish(self, outcome) ?? [] }
        for waiter in waiters { waiter.noteSettled(isFailure: outcome.isFailure) }
    }

    /// Keeps what came out.
    func end(with outcome: Loader.Outcome) {
        self.outcome = outcome
        heldGates = []
    }

    /// Cancels the task. Outside the lock, since it calls the handlers of the user.
    func cancel() {
        let task = graph.withLock {
            heldGates = []
            isCancelled = true
            return self.task
        }
        task?.cancel()
    }

    /// Keeps what another run has read observed, until this one has ended.
    func takeOver(from old: Run?) {
        guard let old else { return }
        swap(&heldGates, &old.heldGates)
        for dependency in old.inputs.dependencies where !dependency.instance.retention.isStore {
            if let gate = dependency.instance.openGate { heldGates.append(gate) }
        }
    }

    // MARK: - Reading

    /// The node that it runs for, if it still counts.
    private var currentInstance: _AnyNodeInstance? {
        guard let loader, loader.isCurrent(self) else { return nil }
        return loader.instance
    }

    /// The store, if the run still counts.
    var store: RecoilStore? { currentInstance?.store }

    /// The store, for a run that still counts.
    ///
    /// - Throws: `CancellationError` if it does not: whatever it reads is of no use.
    func requireStore() throws -> RecoilStore {
        guard let store else { throw CancellationError() }
        return store
    }

    /// Notes that the run reads a node, which is brought up to date.
    ///
    /// - Throws: `RecoilError.circular` if that node needs this one. Then the run depends on all atoms that led there,
    ///   so that a change of these, which may open the cycle, makes it run again.
    func record(_ instance: _AnyNodeInstance, _ kind: Dependency.Kind) throws {
        guard isPending, let reader = currentInstance else { return }
        try naming { try instance.follow() }
        if inputs.contains(instance, kind) { return }
        if instance === reader || !instance.dependencies.isEmpty, let path = instance.path(to: reader) {
            for atom in instance.upstream where atom.isAtom && atom !== reader && !inputs.contains(atom, .value) {
                try naming { try atom.follow() }
                try append(atom, .value)
            }
            throw RecoilError.circular(.init(path: (path + [instance]).map(\.key.name)))
        }
        try append(instance, kind)
    }

    private func append(_ instance: _AnyNodeInstance, _ kind: Dependency.Kind) throws {
        inputs.append(Dependency(instance: instance, kind: kind, stamp: try naming { try instance.stamp(of: kind) }))
        loader?.noteNewInput()
    }

    /// Notes what a node that the run has waited for has settled on.
    func noteSettled(_ instance: _AnyNodeInstance) { inputs.noteSettled(instance) }
}

extension Result {
    var isFailure: Bool {
        if case .failure = self { return true }
        return false
    }
}
