// Effects of an atom: closures that run when a store first uses the atom, when it is set, and when the store releases
// it.

import Reactive

/// A side effect of an atom in each store that uses the atom.
///
/// ```swift
/// let volume = atom(5, effects: [
///     AtomEffect { context in
///         context.setSelf(settings.volume)
///         context.onSet { new, old, isReset in settings.volume = new }
///     }
/// ])
/// ```
///
/// - The effects of an atom run once in each store, in their order, when the store first uses the atom: after the
///   default has been computed, and before any reader gets a value.
/// - They win over the store's `initializeState`.
/// - Their clean-ups run when the node is released or overridden, or when the store ends.
public struct AtomEffect<T: Sendable>: @unchecked Sendable {
    // Sendable as nodes must be: the closure is called with the graph locked, on the actor that it was created on.
    let body: (AtomEffectContext<T>) -> (() -> Void)?
    /// The actor that it was created on, if any.
    let isolation: ClosureIsolation?

    /// Creates an effect.
    ///
    /// - Parameters:
    ///   - isolation: The actor that `body` belongs to; by default the caller's. `nil` for a closure that may run
    ///     anywhere.
    ///   - body: Called on first use, with the graph locked and untracked. If it belongs to an actor and the first use
    ///     is elsewhere, the program stops.
    public init(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping (AtomEffectContext<T>) -> Void
    ) {
        self.isolation = .of(isolation)
        self.body = { context in
            body(context)
            return nil
        }
    }

    /// Creates an effect that returns its clean-up.
    ///
    /// - Parameters:
    ///   - isolation: The actor that `body` and its result belong to; by default the caller's. `nil` for closures that
    ///     may run anywhere.
    ///   - body: Called on first use, with the graph locked and untracked. If it belongs to an actor and the first use
    ///     is elsewhere, the program stops. The clean-up that it returns is called once, outside the lock, on the
    ///     actor, after a hop if necessary.
    @_disfavoredOverload
    public init(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping (AtomEffectContext<T>) -> () -> Void
    ) {
        self.isolation = .of(isolation)
        self.body = { body($0) }
    }
}

/// The kind of the first use of an atom in a store.
public enum AtomEffectTrigger: Hashable, Sendable {
    /// A selector or other code reads the atom.
    case get
    /// The atom is set, updated, reset, or restored.
    case set
}

/// The operations of an effect on its atom.
public final class AtomEffectContext<T: Sendable>: @unchecked Sendable {
    // Sendable because everything is done under the graph's lock.

    /// The identity of the atom.
    public let key: NodeKey
    /// The kind of the first use of the atom, which runs the effect.
    public let trigger: AtomEffectTrigger
    private let index: Int
    /// Whether the effect is being called.
    fileprivate var isRunning = true
    private weak var target: (_NodeInstance<T>)?
    private let runner: EffectRunner<T>
    /// The graph of the store.
    let graph: GraphHandle

    fileprivate init(
        _ index: Int, _ target: _NodeInstance<T>, _ trigger: AtomEffectTrigger, _ runner: EffectRunner<T>
    ) {
        key = target.key
        self.trigger = trigger
        self.index = index
        self.target = target
        self.runner = runner
        graph = target.graph
    }

    /// Sets the atom. This effect's own `onSet` is not called.
    ///
    /// While the effect runs, the value replaces the default; an asynchronous atom then does not load.
    /// May be called later, from any thread. After the store has released the node, it does nothing.
    ///
    /// - Parameter value: The value.
    public func setSelf(_ value: T) {
        graph.withLock {
            guard let target, target.ending == nil else { return }
            target.assign(value, origin: .effect(index))
        }
    }

    /// Sets the atom to the result of a closure, when the closure returns. May be called only while the effect runs.
    ///
    /// An asynchronous atom loads with the closure instead of its own default. Any other atom has its default until the
    /// closure returns. If the atom is set meanwhile, that value wins, except if `initializeState` has set it. As with
    /// loads, `onSet` is not called. When the store releases the node, the task is cancelled.
    ///
    /// - Parameter load: Returns the value, or `nil` for the default. If it throws, the atom has that error until it is
    ///   set or reset. Runs in a task of its own.
    public func setSelf(_ load: @escaping @Sendable () async throws -> T?) {
        graph.withLock {
            guard isRunning, let target else {
                Hosting.report(
                    .misuse,
                    """
                    An effect of \(key.name) passed a closure to `setSelf` after the effect had returned. The closure \
                    is ignored. Await the value, and pass the value to `setSelf`.
                    """, site: key.name)
                return
            }
            if let cancel = target.load(load) { runner.addCleanup(CleanUp(cancel), in: graph) }
        }
    }

    /// Resets the atom to its default.
    public func resetSelf() {
        graph.withLock {
            guard let target, target.ending == nil else { return }
            target.reset()
        }
    }

    /// Calls a closure whenever the atom is set or reset to a different value, except by this effect. Restoring a
    /// snapshot does not count.
    ///
    /// The closure is not called for values set before this call, nor for the store's initial values.
    ///
    /// - Parameters:
    ///   - isolation: The actor that `handler` belongs to; by default the caller's. Writes elsewhere reach it by a hop,
    ///     in order.
    ///   - handler: Receives the new value, the previous one, if there was one, and whether this was a reset. Called
    ///     outside the lock, once for each transaction. If it belongs to no actor, it runs on the thread that wrote.
    public func onSet(
        isolation: isolated (any Actor)? = #isolation,
        _ handler: @escaping (_ new: T, _ old: T?, _ isReset: Bool) -> Void
    ) {
        let calls = ClosureIsolation.of(isolation).map { IsolatedCalls(on: $0) }
        graph.withLock {
            guard let target, target.ending == nil else { return }
            guard let calls else { return runner.add(index, handler, for: target) }
            runner.add(index, { new, old, isReset in calls.call { handler(new, old, isReset) } }, for: target)
        }
    }

    /// Calls a closure when the store releases the node, or immediately if it already has.
    ///
    /// - Parameters:
    ///   - isolation: The actor that `cleanup` belongs to; by default the caller's.
    ///   - cleanup: Called once, outside the lock, on that actor: after a hop if the node is released elsewhere.
    public func onCleanup(isolation: isolated (any Actor)? = #isolation, _ cleanup: @escaping () -> Void) {
        let cleanUp = CleanUp(on: .of(isolation), cleanup)
        graph.withLock { runner.addCleanup(cleanUp, in: graph) }
    }

    /// Calls a closure when the store is asked to finish the pending work of its effects; see ``RecoilStore/flush()``.
    ///
    /// - Parameters:
    ///   - isolation: The actor that `flush` belongs to; by default the caller's. If the store is flushed elsewhere,
    ///     the program stops.
    ///   - flush: Called outside the lock, on the thread that calls `flush()`, until the store releases the node. If it
    ///     already has, the closure is discarded.
    public func onFlush(isolation: isolated (any Actor)? = #isolation, _ flush: @escaping () throws -> Void) {
        let home = ClosureIsolation.of(isolation)
        let name = key.name
        graph.withLock {
            runner.addFlush {
                home?.require("the flush of atom \(name)")
                try flush()
            }
        }
    }

    /// Calls a closure when all effects have run and the value can be observed. Never called if the node has ended.
    func whenReady(_ body: @escaping () -> Void) {
        graph.withLock { runner.whenInstalled(body) }
    }

    /// The current value, or `nil` if there is none yet. Reading it subscribes where reads are tracked.
    public var value: T? {
        graph.withLock { (try? target?.state())?.data }
    }

    /// The last value that there was, whatever has happened since; also during the clean-up.
    var latestValue: T? {
        graph.withLock { (try? target?.state())?.latestData }
    }

    /// The accessor that reads and writes other nodes of the store; `nil` after the store has ended.
    public var accessor: StateAccessor? {
        graph.withLock { target?.store.map { StateAccessor($0) } }
    }
}

/// Runs the effects of one instance, and keeps their handlers and clean-ups.
final class EffectRunner<T: Sendable> {
    private let effects: [AtomEffect<T>]
    private var waiting: [(index: Int, handler: (T, T?, Bool) -> Void)] = []
    private var reactions: [Reaction] = []
    private var isInstalled = false
    private var hasEnded = false
    private var postponed: [() -> Void] = []
    private var cleanups: [CleanUp] = []
    private(set) var flushes: [() throws -> Void] = []

    init(_ effects: [AtomEffect<T>]) { self.effects = effects }

    /// Calls each effect.
    func run(for target: _NodeInstance<T>, _ trigger: AtomEffectTrigger) {
        guard !effects.isEmpty, let store = target.store, !store.isPassive else { return }
        for (index, effect) in effects.enumerated() {
            effect.isolation?.require("an effect of atom", of: target.key)
            let context = AtomEffectContext(index, target, trigger, self)
            let cleanup = store.runningEffect { untracked { detached { effect.body(context) } } }
            context.isRunning = false
            if let cleanup { addCleanup(CleanUp(on: effect.isolation, cleanup), in: target.graph) }
        }
    }

    fileprivate func addCleanup(_ cleanup: CleanUp, in graph: GraphHandle) {
        if hasEnded { graph.whenFree(CleanUps([cleanup]).run) } else { cleanups.append(cleanup) }
    }

    fileprivate func addFlush(_ flush: @escaping () throws -> Void) {
        if !hasEnded { flushes.append(flush) }
    }

    fileprivate func whenInstalled(_ body: @escaping () -> Void) {
        if hasEnded { return }
        if isInstalled { body() } else { postponed.append(body) }
    }

    fileprivate func add(
        _ index: Int, _ handler: @escaping (T, T?, Bool) -> Void, for target: _NodeInstance<T>
    ) {
        waiting.append((index, handler))
        if isInstalled { installHandlers(for: target) }
    }

    /// Begins to follow the value when there is one: after the effects have run, and after the store has been
    /// initialised.
    func installHandlers(for target: _NodeInstance<T>) {
        if hasEnded || target.store?.isInitializing == true { return }
        isInstalled = true
        let handlers = waiting
        waiting = []
        for (index, handler) in handlers {
            untracked {
                detached {
                    let name = "\(target.key.name), effect \(index)"
                    let reaction = target.followSetting(by: index, named: name, handler)
                    if let reaction { reactions.append(reaction) }
                }
            }
        }
        let postponed = postponed
        self.postponed = []
        untracked { detached { for body in postponed { body() } } }
    }

    /// Returns the closures that end the effects, outside the lock: the newest effect first.
    func end() -> [() -> Void] {
        hasEnded = true
        let rest = reactions.map { reaction in { reaction.cancel() } } + [CleanUps(cleanups.reversed()).run]
        reactions = []
        cleanups = []
        flushes = []
        waiting = []
        postponed = []
        return rest
    }
}
