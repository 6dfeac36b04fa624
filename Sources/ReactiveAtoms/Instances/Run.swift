// One attempt of an asynchronous node to compute its value: a task, its inputs, and its outcome.

import Reactive

/// A run of an asynchronous node. Guarded by the graph's lock, except for the task's own work.
@usableFromInline
final class Run: @unchecked Sendable {
    // Sendable because everything but the task's own work is done under the graph's lock.

    /// The loader that it runs for.
    private weak var loader: Loader?
    /// The graph of the store.
    let graph: GraphHandle
    private(set) var inputs: RunInputs
    /// `nil` while it is pending.
    @exclusivity(unchecked) private(set) var outcome: Loader.Outcome?
    /// The last data before the run.
    let previous: AnyLoadedValue?
    /// Whether `previous` is shown as current data during the run.
    let keepsData: Bool
    /// Stand-ins for readers of the previous run's inputs, until this run has ended. This run will probably read the
    /// same nodes, and nodes that are kept only while they are observed must not be released in between.
    @exclusivity(unchecked) private var heldGates: [AnyObject] = []
    @exclusivity(unchecked) private var task: Task<Void, Never>?

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

    /// The last data, including those of this run.
    var latest: AnyLoadedValue? { (try? outcome?.get()) ?? previous }

    // MARK: - The task

    /// Starts the task.
    ///
    /// - Parameters:
    ///   - actor: The actor on which the inputs are compared, before and after; `nil` for any.
    ///   - compute: Computes the value. It runs in its own isolation.
    func start(on actor: (any Actor)?, _ compute: @escaping Loader.Compute) {
        // The task waits for the lock, so `cancel` finds it. If the run has been replaced, the task ends immediately.
        graph.withLock { task = Task { await run(isolation: actor, compute) } }
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
        for waiter in waiters { waiter.noteOutcome(isFailure: outcome.isFailure) }
    }

    /// Stores the outcome.
    func end(with outcome: Loader.Outcome) {
        self.outcome = outcome
        heldGates = []
    }

    /// Cancels the task. Outside the lock, since it calls the user's cancellation handlers.
    func cancel() {
        let task = graph.withLock {
            heldGates = []
            return self.task
        }
        task?.cancel()
    }

    /// Keeps the inputs of another run observed, until this run has ended.
    func keepInputsObserved(of old: Run?) {
        guard let old else { return }
        // A roll-back may restore the old run, so it keeps its own.
        heldGates = old.heldGates
        for dependency in old.inputs.dependencies {
            if let gate = dependency.instance.openGate { heldGates.append(gate) }
        }
    }

    // MARK: - Reading

    /// The node that it runs for, unless the run has been replaced.
    private var currentInstance: _AnyNodeInstance? {
        guard let loader, loader.isCurrent(self) else { return nil }
        return loader.instance
    }

    /// The store, unless the run has been replaced.
    var store: RecoilStore? { currentInstance?.store }

    /// Returns the store.
    ///
    /// - Throws: `CancellationError` if the run has been replaced: its reads have no effect.
    func requireStore() throws -> RecoilStore {
        guard let store else { throw CancellationError() }
        return store
    }

    /// Records that the run reads a node, after bringing the node up to date.
    ///
    /// - Throws: `RecoilError.circular` if that node depends on this one. The run then depends on all atoms upstream. A
    ///   change of one of them may open the cycle, and starts the run again.
    func record(_ instance: _AnyNodeInstance, _ kind: Dependency.Kind) throws {
        guard isPending, let reader = currentInstance else { return }
        try naming { try instance.follow() }
        if inputs.contains(instance, kind) { return }
        // No test sees this always hold: it only saves a search.
        if instance === reader || !instance.dependencies.isEmpty, let path = instance.path(to: reader) {
            // They are up to date, as the node is.
            let atoms = instance.upstream.filter(\.isAtom)
            // No test sees this always hold: a second record of an input only costs a comparison.
            for atom in atoms where !inputs.contains(atom, .value) { try append(atom, .value) }
            throw RecoilError.circular(.init(path: (path + [instance]).map(\.key.name)))
        }
        try append(instance, kind)
    }

    private func append(_ instance: _AnyNodeInstance, _ kind: Dependency.Kind) throws {
        inputs.append(Dependency(instance: instance, kind: kind, stamp: try naming { try instance.stamp(of: kind) }))
        loader?.noteNewInput()
    }

    /// Records the outcome of a node that the run has awaited.
    func noteOutcome(_ instance: _AnyNodeInstance) { inputs.noteOutcome(instance) }
}

extension Result {
    var isFailure: Bool {
        if case .failure = self { return true }
        // No test sees this: if it counts as a failure, tasks that wait look again, and find none.
        return false
    }
}
