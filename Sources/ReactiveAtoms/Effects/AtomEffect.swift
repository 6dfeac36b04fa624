// What goes with an atom: something to do when a store first uses it, when it is set, and when the store is done with it.

import Reactive

/// Something that goes with an atom in each store that uses it.
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
/// - The effects of an atom run once in each store, in their order, when the store first uses the atom: after the default has been computed,
///   before anybody sees a value.
/// - They win over the store's `initializeState`.
/// - What they leave behind is cleaned up when the node is released, overridden, or the store ends.
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
    ///   - body: Called on first use, with the graph locked and untracked. If it belongs to an actor, the program stops
    ///     where the atom is first used elsewhere.
    public init(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping (AtomEffectContext<T>) -> Void
    ) {
        self.isolation = .of(isolation)
        self.body = { context in
            body(context)
            return nil
        }
    }

    /// Creates an effect that returns what cleans up after it.
    ///
    /// - Parameters:
    ///   - isolation: The actor that `body` and what it returns belong to; by default the caller's. `nil` for closures
    ///     that may run anywhere.
    ///   - body: Called on first use, with the graph locked and untracked. If it belongs to an actor, the program stops
    ///     where the atom is first used elsewhere. What it returns is called once, outside the lock, on the actor; for
    ///     that there is a hop if need be.
    @_disfavoredOverload
    public init(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping (AtomEffectContext<T>) -> () -> Void
    ) {
        self.isolation = .of(isolation)
        self.body = { body($0) }
    }
}

/// What the first use of an atom in a store is.
public enum AtomEffectTrigger: Hashable, Sendable {
    /// It is read, by somebody or by a selector.
    case get
    /// It is set, updated, reset, or restored.
    case set
}

/// What an effect can do with its atom.
public final class AtomEffectContext<T: Sendable>: @unchecked Sendable {
    // Sendable because everything is done under the graph's lock.

    /// What identifies the atom.
    public let key: NodeKey
    /// What the first use of the atom is, for which the effect runs.
    public let trigger: AtomEffectTrigger
    private let index: Int
    /// The effect is being called.
    fileprivate var isRunning = true
    private weak var target: (_NodeInstance<T>)?
    private let runner: EffectRunner<T>
    /// Stands for the graph of the store.
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
    /// During the first call of the effect this takes the place of the default; of an asynchronous atom it makes the load needless. May be called
    /// later, from any thread; once the store is done with the node it does nothing.
    ///
    /// - Parameter value: The value.
    public func setSelf(_ value: T) {
        graph.withLock {
            guard let target, target.ending == nil else { return }
            target.assign(value, origin: .effect(index))
        }
    }

    /// Sets the atom to what a closure returns, once it has returned: a promise. Only during the first call of the
    /// effect.
    ///
    /// An asynchronous atom loads with the closure in place of its own default. Any other has its default until the
    /// closure returns. What is set meanwhile wins, except by `initializeState`. As with loads, `onSet` is not called.
    /// When the store is done with the node, the task is cancelled.
    ///
    /// - Parameter load: Returns the value, or `nil` for the default. What it throws is the atom's error until it is
    ///   set or reset. Runs in a task of its own.
    public func setSelf(_ load: @escaping @Sendable () async throws -> T?) {
        graph.withLock {
            guard isRunning, let target else {
                Hosting.report(
                    .misuse,
                    """
                    An effect of \(key.name) called `setSelf` with a closure after its first call, and is ignored. Await the value, and \
                    call `setSelf` with that.
                    """, site: key.name)
                return
            }
            if let cancel = target.load(load) { runner.addCleanup(CleanUp(cancel), in: graph) }
        }
    }

    /// Gives the atom its default back.
    public func resetSelf() {
        graph.withLock {
            guard let target, target.ending == nil else { return }
            target.reset()
        }
    }

    /// Calls a closure whenever the atom is set or reset to another value by anybody but this effect. Restoring a snapshot is no setting.
    ///
    /// It does not hear of what was set before the call, nor of what the store is initialised with.
    ///
    /// - Parameters:
    ///   - isolation: The actor that `handler` belongs to; by default the caller's. Writes elsewhere reach it by a hop,
    ///     each in its turn.
    ///   - handler: Gets the new value, the one before, if there was one, and whether this was a reset. Called outside
    ///     the lock, once for each transaction; on the thread that wrote if it belongs to no actor.
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

    /// Calls a closure when the store is done with the node; immediately if it already is.
    ///
    /// - Parameters:
    ///   - isolation: The actor that `cleanup` belongs to; by default the caller's.
    ///   - cleanup: Called once, outside the lock, on that actor: after a hop if the node is released elsewhere.
    public func onCleanup(isolation: isolated (any Actor)? = #isolation, _ cleanup: @escaping () -> Void) {
        let cleanUp = CleanUp(on: .of(isolation), cleanup)
        graph.withLock { runner.addCleanup(cleanUp, in: graph) }
    }

    /// Calls a closure when the store is to finish what its effects have begun; see ``RecoilStore/flush()``.
    ///
    /// - Parameters:
    ///   - isolation: The actor that `flush` belongs to; by default the caller's. The program stops where the store is
    ///     flushed elsewhere.
    ///   - flush: Called outside the lock, on the thread that asks for it, until the store is done with the node. Not
    ///     kept if it already is.
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

    /// Calls a closure once all effects have run and there is something to observe; never if the node has ended.
    func whenReady(_ body: @escaping () -> Void) {
        graph.withLock { runner.whenInstalled(body) }
    }

    /// The value now, or `nil` if there is none yet. Reading it where reading subscribes does subscribe.
    public var value: T? {
        graph.withLock { (try? target?.state())?.data }
    }

    /// The last value that there was, whatever has happened since; also during the clean-up.
    var latestValue: T? {
        graph.withLock { (try? target?.state())?.latestData }
    }

    /// Reads and writes other nodes of the store; `nil` once the store is gone.
    public var accessor: StateAccessor? {
        graph.withLock { target?.store.map { StateAccessor($0) } }
    }
}

/// Runs the effects of one instance, and keeps what they leave behind.
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

    /// Begins to follow the value, once there is one: when the effects have run, and a store that is being initialised
    /// has been.
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

    /// What ends them, outside the lock: the newest first.
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
