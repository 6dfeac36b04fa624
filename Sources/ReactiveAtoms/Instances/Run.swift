// One attempt of an asynchronous node to find its value: a task, what it has read, and what came out.

import Reactive

/// The part of a run that does not depend on the type of its value.
@usableFromInline
class AnyRun {
    /// Something that the run has read.
    struct Dependency {
        enum Kind: Hashable {
            /// The value, or the data that there are now.
            case value
            /// All that a loadable says.
            case loadable
            /// What the node settles on.
            case awaited
        }

        let instance: _AnyNodeInstance
        let kind: Kind
        /// What it was when it was read: the versions, or the stamp of what it settled on. `nil` while that is awaited.
        var stamp: [UInt64]?
    }

    /// What it has read, in groups of which each is compared by itself: a new dependency costs its group, not all of them.
    private var groups: [DependencyGroup]
    /// The gates of what the run before has read: this one will probably read the same, and what is kept only while it is observed must not go in
    /// between. Until this run has ended.
    fileprivate var heldGates: [AnyObject] = []
    /// How many groups there are: tells the content of new ones.
    private let groupCount: Observable<Int>
    /// Where each dependency is, by its node: for finding out quickly whether a read is a new one.
    private var known: Set<DependencyID>

    /// Stands for the graph of the store.
    final let graph: GraphHandle

    init(_ dependencies: [Dependency], in graph: GraphHandle) {
        self.graph = graph
        // Runs may be made where state must not be written.
        let starts = stride(from: 0, to: dependencies.count, by: DependencyGroup.capacity)
        groups = starts.map { DependencyGroup(dependencies.dropFirst($0).prefix(DependencyGroup.capacity)) }
        groupCount = Observable(groups.count)
        known = Set(dependencies.map { DependencyID($0) })
    }

    /// What it has read, in the order of the first reads.
    var dependencies: [Dependency] { groups.flatMap(\.dependencies) }

    private func insert(_ dependency: Dependency) {
        guard known.insert(DependencyID(dependency)).inserted else { return }
        if let last = groups.last, last.append(dependency) { return }
        groups.append(DependencyGroup([dependency]))
        groupCount.value = groups.count
    }

    /// Keeps what another run has read observed, until this one has ended.
    func takeOver(from old: AnyRun?) {
        guard let old else { return }
        heldGates = old.heldGates + old.dependencies.compactMap { $0.instance.openGate }
        old.heldGates = []
    }

    /// Lets go of what only the run before has read.
    func letGo() { heldGates = [] }

    /// The node that it runs for, if it still counts.
    var currentInstance: _AnyNodeInstance? { nil }

    /// Whether it goes on.
    var isPending: Bool { false }

    /// Whether something that it has read is no longer what it was. Tracks what it has read, also what will be recorded yet.
    ///
    /// - Throws: What the core throws of a cycle.
    func inputsHaveChanged() throws -> Bool {
        _ = groupCount.value
        return try groups.contains { try $0.hasChanged.value }
    }

    /// The store, for a run that still counts.
    ///
    /// - Throws: `CancellationError` if it does not: whatever it reads is of no use.
    func requireStore() throws -> RecoilStore {
        guard let store = currentInstance?.store else { throw CancellationError() }
        return store
    }

    /// Notes that the run reads a node, which is brought up to date.
    ///
    /// - Throws: `RecoilError.circular` if that node needs this one. Then the run depends on all atoms that led there, so that a change
    ///   of these, which may open the cycle, makes it run again.
    func record(_ instance: _AnyNodeInstance, _ kind: Dependency.Kind) throws {
        guard isPending, let reader = currentInstance else { return }
        try naming { try instance.follow() }
        if known.contains(DependencyID(instance, kind)) { return }
        if let path = instance.path(to: reader) {
            for atom in instance.upstream where atom.isAtom && atom !== reader { try append(atom, .value) }
            throw RecoilError.circular(.init(path: (path + [instance]).map(\.key.name)))
        }
        try append(instance, kind)
    }

    private func append(_ instance: _AnyNodeInstance, _ kind: Dependency.Kind) throws {
        let stamp = try naming {
            try instance.follow()
            return try instance.stamp(of: kind)
        }
        insert(Dependency(instance: instance, kind: kind, stamp: stamp))
    }

    /// Notes what a node that the run has waited for has settled on.
    func noteSettled(_ instance: _AnyNodeInstance) {
        guard known.contains(DependencyID(instance, .awaited)) else { return }
        for group in groups { group.noteSettled(instance) }
    }
}

/// A read, without what was read.
private struct DependencyID: Hashable {
    let instance: ObjectIdentifier
    let kind: AnyRun.Dependency.Kind

    init(_ instance: _AnyNodeInstance, _ kind: AnyRun.Dependency.Kind) {
        self.instance = ObjectIdentifier(instance)
        self.kind = kind
    }

    init(_ dependency: AnyRun.Dependency) { self.init(dependency.instance, dependency.kind) }
}

/// Some of what a run has read.
private final class DependencyGroup {
    static let capacity = 32

    private(set) var dependencies: [AnyRun.Dependency]
    private let count: Observable<Int>

    init(_ dependencies: some Sequence<AnyRun.Dependency>) {
        self.dependencies = Array(dependencies)
        count = Observable(self.dependencies.count)
    }

    /// Whether one of them is no longer what it was. Reading it tracks them.
    private(set) lazy var hasChanged = ThrowingComputed<Bool>(named: "inputs of a run") { [weak self] in
        guard let self else { return true }
        _ = self.count.value
        for dependency in self.dependencies {
            if dependency.instance.ending != nil { return true }
            dependency.instance.noteObserver()
            try dependency.instance.follow()
            guard let stamp = dependency.stamp, let now = try dependency.instance.stamp(of: dependency.kind) else {
                continue
            }
            if stamp != now { return true }
        }
        return false
    }

    /// Takes a dependency in. Returns false if it is full.
    func append(_ dependency: AnyRun.Dependency) -> Bool {
        guard dependencies.count < Self.capacity else { return false }
        dependencies.append(dependency)
        count.value = dependencies.count
        return true
    }

    /// Notes what a node that was awaited has settled on.
    func noteSettled(_ instance: _AnyNodeInstance) {
        for index in dependencies.indices
        where dependencies[index].instance === instance && dependencies[index].kind == .awaited
            && dependencies[index].stamp == nil
        {
            dependencies[index].stamp = instance.settledStamp.map { [$0] }
        }
    }
}

extension _AnyNodeInstance {
    /// What a run compares. Valid after `follow`.
    func stamp(of kind: AnyRun.Dependency.Kind) throws -> [UInt64]? {
        switch kind {
        case .value: return [contentVersion]
        case .awaited: return settledStamp.map { [$0] }
        case .loadable:
            _ = try activity()
            return [contentVersion, activityVersion]
        }
    }
}

final class Run<T: Sendable>: AnyRun, @unchecked Sendable {
    // Sendable because everything but the task's own work is done under the graph's lock.

    private weak var instance: AsyncInstance<T>?
    /// `nil` while it is pending.
    let outcome: Observable<Result<T, any Error>?>
    /// The last data before it.
    let previous: T?
    /// Whether those are shown as present data meanwhile.
    let keepsData: Bool
    private var task: Task<Void, Never>?

    init(
        in instance: AsyncInstance<T>, previous: T?, keepsData: Bool, _ dependencies: [Dependency] = [],
        _ result: Result<T, any Error>? = nil
    ) {
        self.instance = instance
        self.previous = previous
        self.keepsData = keepsData
        outcome = Observable(result, named: "\(instance.key.name), outcome")
        super.init(dependencies, in: instance.graph)
    }

    /// The last data, its own included.
    var latest: T? { (try? untracked { outcome.value }?.get()) ?? previous }

    override var isPending: Bool { untracked { outcome.value == nil } }

    override var currentInstance: _AnyNodeInstance? {
        guard let instance, instance.isCurrent(self) else { return nil }
        return instance
    }

    /// Starts the task. Nothing of the user's runs here.
    ///
    /// - Parameters:
    ///   - actor: The actor on which the inputs are compared, before and after; `nil` for anywhere.
    ///   - compute: Finds the value. It goes where it belongs.
    func start(on actor: (any Actor)?, _ compute: @escaping @Sendable (StateGetter) async throws -> T) {
        task = Task { await run(isolation: actor, compute) }
    }

    private func run(
        isolation: isolated (any Actor)?, _ compute: @Sendable (StateGetter) async throws -> T
    ) async {
        guard graph.withLock({ instance?.begin(self, isolation: isolation) ?? false }) else { return }
        let result: Result<T, any Error>
        do {
            result = .success(try await compute(StateGetter(.run(self))))
        } catch {
            result = .failure(error)
        }
        graph.withLock { instance?.finish(self, result) }
    }

    /// Cancels the task. Outside the lock, since it calls the handlers of the user.
    func cancel() {
        graph.withLock { letGo() }
        task?.cancel()
    }
}
