// A running subscription: the object, its life, and its bookkeeping. How it runs is in Reaction+Running.swift.

import CReactive

/// Something that runs again whenever what it read has changed, until it is cancelled.
///
/// What ``autorun(named:schedule:isolation:fileID:line:_:)``, `reaction` and ``when(named:isolation:fileID:line:_:_:)`` return. Dropping
/// it does **not** stop it: call ``cancel()``, or tie it to an owner with `AnyCancellable(reaction)` or `reaction.store(in: &bag)`. A
/// reaction made inside a run of another is owned by that one: it is cancelled before the owner's next run and with the owner.
///
/// May be used from any thread.
public final class Reaction: _Observer, Cancellable, @unchecked Sendable {
    // Sendable because all state is guarded by the graph's lock, and the closures run where their isolation says.

    /// The tracked part; an empty closure once the reaction is cancelled, and while it runs.
    private final var body: () -> Void
    /// What most reactions do without.
    final var extras: ReactionExtras?
    /// The epoch of the run before the last.
    final var previousRun: UInt64 = 0
    private final let freeing = FreeingMark()

    init(
        named name: String?, fileID: StaticString, line: UInt, extras: consuming ReactionExtras? = nil,
        body: consuming @escaping () -> Void
    ) {
        self.body = body
        self.extras = extras
        super.init(
            flags: [.reaction, .live], graph: .current, name: name, fileID: fileID, line: line)
    }

    /// A reaction that never runs, and only owns things, with the name of another node.
    init(beside other: _Node) {
        body = {}
        super.init(flags: [.reaction, .live], graph: other.graph, origin: 0)
        NodeName.share(other.node.pointee, with: &node.pointee)
    }

    deinit {
        if FreeingMark.begin() { FreeingMark.postpone((body, extras)) }
    }

    // MARK: - Life

    /// Registers the reaction and runs its tracked part for the first time.
    func start() {
        let graph = graph
        graph.enter()
        graph.register(observer)
        adoptByOwner()
        runNested()
        if extras?.effect?.isDue == true { lookAgain() }
        graph.leave()
    }

    /// Ends the reaction: nothing of it runs after this, except its cleanups, once, and an effect that is already running.
    ///
    /// The cleanups and the cancellation of what it owns happen before this returns; inside a transaction or a tracked closure they
    /// happen when that ends, and inside a run of this reaction when the run ends. Inside a transaction of another
    /// graph the whole of it waits for the end of that. Cancelling again does nothing.
    public final func cancel() {
        let owned = end()
        if !owned.isEmpty, reactive_stack_is_low() {
            // Cleanups that cancel are nested this deep: the outermost of them does it.
            graph.enter()
            graph.deferAction { OwnedScope.dispose(owned) }
            graph.leave()
        } else if !owned.isEmpty {
            graph.run { OwnedScope.dispose(owned) }
        }
    }

    /// Ends the reaction alone. Returns what it owned, for the caller to end; nothing, if that has to wait and happens by itself.
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
        // A queued one is released by whoever takes it out of the queue, one in flight by the thread that it is in flight on.
        if flags.isDisjoint(with: [.queued, .inFlight]) { graph.releaseLater(.passUnretained(self)) }
        guard flags.isDisjoint(with: [.running, .inFlight]) else { return [] }
        let owned = abandon()
        if owned.isEmpty || (graph.isBeingSettledByThisThread && reactive_current().pointee.depth == 1) { return owned }
        graph.deferAction { OwnedScope.dispose(owned) }
        return []
    }

    /// Takes everything away from a cancelled reaction that is not running; returns what is left to dispose of outside the lock.
    ///
    /// The closures go too: whoever keeps the reaction must not keep what they captured, which may be the keeper itself.
    func abandon() -> [OwnedScope.Item] {
        stopTracking()
        guard let extras else { return [] }
        self.extras = nil
        Trash.add(object: extras)
        extras.effect?.end()
        var owned = extras.tracked.takeItems()
        if extras.effectful.isEmpty {
            extras.effectful.endEmptyRun()
        } else {
            owned += extras.effectful.takeItems()
        }
        // It cancels a task, and with it a sleep of the user's clock.
        if let schedule = extras.schedule { owned.append(.cleanup { schedule.cancel() }) }
        return owned
    }

    /// Forgets the tracked part and what it read.
    func stopTracking() {
        graph.dropSources(of: observer)
        let ended = body
        body = {}
        Trash.add(closure: .init(call: ended))
    }

    /// Calls the tracked part.
    ///
    /// Moved out of the property meanwhile, which nobody reads during a run, it need not be retained: two atomic operations.
    @inline(__always)
    func runBody() {
        let running = body
        body = {}
        running()
        body = running
    }

    /// Whether it has been cancelled.
    public final var isCancelled: Bool { read { observer.flags.contains(.cancelled) } }

    /// What diagnostics call it: the name it was given, or the file and line that made it.
    public final var name: String { NodeName.text(of: node.pointee) }

    /// How often its tracked part has run.
    public final var runCount: Int { read { Int(node.pointee.run_count) } }

    private func read<Result>(_ body: () -> Result) -> Result {
        graph.enter()
        defer { graph.leave() }
        return body()
    }

    /// The extras, made on first use.
    func needExtras() -> ReactionExtras {
        if let extras { return extras }
        let made = ReactionExtras()
        extras = made
        return made
    }
}

extension UnsafeMutablePointer where Pointee == ObserverHeader {
    /// The reaction that the header lies in. Precondition: it is one.
    var reaction: Unmanaged<Reaction> {
        Unmanaged.fromOpaque(UnsafeMutableRawPointer(self) - objectHeaderSize)
    }
}
