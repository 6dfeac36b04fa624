// A reaction: the object, its lifetime and its bookkeeping. Reaction+Running.swift has how it runs.

import CReactive

#if canImport(Combine)
import Combine
#endif

/// A tracked closure that runs again whenever something that it read has changed, until it is cancelled.
///
/// ``autorun(named:schedule:isolation:fileID:line:_:)``, `reaction` and ``when(named:isolation:fileID:line:_:_:)``
/// return one. Releasing it does **not** stop it: call ``cancel()``, or tie it to an owner with
/// `AnyCancellable(reaction)` or `reaction.store(in: &bag)`. A reaction that is created during a run of another
/// reaction belongs to that one. It is cancelled before its owner's next run, and when its owner is cancelled.
///
/// May be used from any thread.
public final class Reaction: _Observer, Cancellable, @unchecked Sendable {
    // Sendable because the graph's lock guards all state, and the closures run in their isolation.

    /// The tracked closure; an empty closure during a run, and after the reaction has been cancelled.
    private final var body: () -> Void
    /// The options that most reactions do without.
    final var options: ReactionOptions?
    /// The epoch of the run before the last.
    final var previousRun: UInt64 = 0
    private final let freeing = FreeingMark()

    init(
        named name: String?, fileID: StaticString, line: UInt, options: consuming ReactionOptions? = nil,
        body: consuming @escaping () -> Void
    ) {
        self.body = body
        self.options = options
        super.init(
            flags: [.reaction, .live], graph: .current, name: name, fileID: fileID, line: line)
    }

    /// Creates a reaction that never runs and only owns things. It takes the name of another node.
    init(beside other: _Node) {
        body = {}
        super.init(flags: [.reaction, .live], graph: other.graph, origin: 0)
        NodeName.share(other.node.pointee, with: &node.pointee)
    }

    #if DEBUG
    /// Public only for the compiler.
    public override func brokenInvariants() -> [String] { brokenInvariantsOfRuns() }
    #endif

    deinit {
        if FreeingMark.begin() { FreeingMark.postpone((body, options)) }
    }

    // MARK: - Life

    /// Registers the reaction and runs its tracked part for the first time.
    func start() {
        let graph = graph
        graph.enter()
        graph.register(observer)
        adoptByOwner()
        runNested()
        // No test sees this always hold: the flush then finds nothing to do for it.
        if options?.effect?.isDue == true { requeue() }
        graph.leave()
    }

    /// Cancels the reaction. Afterwards nothing of it runs, except its cleanups, once, and an effect that is already
    /// running.
    ///
    /// Before this returns, the cleanups run and everything that the reaction owns is cancelled. There are three
    /// exceptions. Inside a transaction or a tracked closure, this happens when that ends. Inside a run of this
    /// reaction, it happens when the run ends. Inside a transaction of another graph, the whole cancellation waits for
    /// the end of that transaction. Cancelling again does nothing.
    public final func cancel() {
        let owned = end()
        guard !owned.isEmpty else { return }
        if reactive_stack_is_low() {
            // Cleanups that cancel are nested too deeply: the outermost of them cancels this reaction.
            graph.enter()
            graph.deferAction { OwnedScope.dispose(owned) }
            graph.leave()
        } else {
            graph.run { OwnedScope.dispose(owned) }
        }
    }

    /// Ends the reaction alone. Returns what it owned, for the caller to end; nothing if that has to wait and happens
    /// later.
    func end() -> [OwnedScope.Item] {
        let graph = graph
        if let held = reactive_current().pointee.graph, held != graph {
            held.deferAction { self.cancel() }
            return []
        }
        graph.enter()
        defer { graph.leave() }
        let flags = observer.flags
        guard flags.isDisjoint(with: .cancelled) else { return [] }
        observer.flags = flags.union(.cancelled).subtracting([.checking, .stale, .marks])
        graph.unregister(observer)
        // A queued reaction is released when it is taken out of the queue; one in flight, by the thread that runs it.
        if flags.isDisjoint(with: [.queued, .inFlight]) { graph.releaseLater(.passUnretained(self)) }
        guard flags.isDisjoint(with: [.running, .inFlight]) else { return [] }
        let owned = abandon()
        // No test sees this never hold: it only saves an action.
        if owned.isEmpty { return owned }
        if graph.isBeingFlushedByThisThread, reactive_current().pointee.depth == 1 { return owned }
        graph.deferAction { OwnedScope.dispose(owned) }
        return []
    }

    /// Releases everything that a cancelled, idle reaction holds. Returns what remains to be ended outside the lock.
    ///
    /// This includes the closures: an object that keeps the reaction must not also keep what they captured, which may
    /// be that object itself.
    func abandon() -> [OwnedScope.Item] {
        stopTracking()
        guard let options else { return [] }
        self.options = nil
        DeferredReleases.add(object: options)
        options.effect?.end()
        var owned = options.tracked.takeItems()
        // No test sees this always hold: it only saves to append nothing.
        if !options.effectful.isEmpty { owned += options.effectful.takeItems() }
        // This cancels a task, and with it a sleep of the user's clock.
        if let schedule = options.schedule { owned.append(.cleanup { schedule.cancel() }) }
        return owned
    }

    /// Releases the tracked closure and unsubscribes from what it read.
    func stopTracking() {
        graph.dropSources(of: observer)
        let ended = body
        body = {}
        DeferredReleases.add(closure: .init(call: ended))
    }

    /// Calls the tracked closure.
    ///
    /// The closure is moved out of its property meanwhile, which is not read during a run. So it need not be retained,
    /// which saves two atomic operations.
    @inline(__always)
    func runBody() {
        let running = body
        // No test sees this: it only saves a retain.
        body = {}
        running()
        body = running
    }

    /// Whether the reaction has been cancelled.
    public final var isCancelled: Bool { read { observer.flags.contains(.cancelled) } }

    /// The name in diagnostics: the given one, or the file and line of the call that created the reaction.
    public final var name: String { NodeName.text(of: node.pointee) }

    /// The number of runs of the tracked closure.
    public final var runCount: Int { read { Int(node.pointee.run_count) } }

    private func read<Result>(_ body: () -> Result) -> Result {
        graph.enter()
        defer { graph.leave() }
        return body()
    }

    /// Returns the options, created on first use.
    func ensureOptions() -> ReactionOptions {
        if let options { return options }
        let created = ReactionOptions()
        options = created
        return created
    }
}

extension UnsafeMutablePointer where Pointee == ObserverHeader {
    /// The reaction that contains the header. Precondition: the node is a reaction.
    var reaction: Unmanaged<Reaction> {
        Unmanaged.fromOpaque(UnsafeMutableRawPointer(self) - objectHeaderSize)
    }
}
