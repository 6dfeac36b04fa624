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
/// - What they leave behind is cleaned up when the node is released, overridden, or the store ends.
public struct AtomEffect<T: Sendable>: @unchecked Sendable {
    // Sendable as nodes must be: the closure is called with the graph locked.
    let body: (AtomEffectContext<T>) -> (() -> Void)?

    /// Creates an effect.
    ///
    /// - Parameter body: Called on first use, with the graph locked and untracked.
    public init(_ body: @escaping (AtomEffectContext<T>) -> Void) {
        self.body = { context in
            body(context)
            return nil
        }
    }

    /// Creates an effect that returns what cleans up after it.
    ///
    /// - Parameter body: Called on first use, with the graph locked and untracked. What it returns is called once, outside the lock.
    @_disfavoredOverload
    public init(_ body: @escaping (AtomEffectContext<T>) -> () -> Void) { self.body = { body($0) } }
}

/// What an effect can do with its atom.
public final class AtomEffectContext<T: Sendable>: @unchecked Sendable {
    // Sendable because everything is done under the graph's lock.

    /// What identifies the atom.
    public let key: NodeKey
    private let index: Int
    private weak var target: (_NodeInstance<T>)?
    private let runner: EffectRunner<T>
    /// Stands for the graph of the store.
    let place: Place

    fileprivate init(_ index: Int, _ target: _NodeInstance<T>, _ runner: EffectRunner<T>) {
        key = target.key
        self.index = index
        self.target = target
        self.runner = runner
        place = target.place
    }

    /// Sets the atom. This effect's own `onSet` is not called.
    ///
    /// During the first call of the effect this takes the place of the default; of an asynchronous atom it makes the load needless. May be called
    /// later, from any thread; once the store is done with the node it does nothing.
    ///
    /// - Parameter value: The value.
    public func setSelf(_ value: T) {
        place.holdingItsGraph {
            guard let target, target.ending == nil else { return }
            target.assign(value, origin: .effect(index))
        }
    }

    /// Gives the atom its default back.
    public func resetSelf() {
        place.holdingItsGraph {
            guard let target, target.ending == nil else { return }
            target.reset()
        }
    }

    /// Calls a closure whenever the atom is set or reset to another value by anybody but this effect. Restoring a snapshot is no setting.
    ///
    /// Of what was set before the call it does not hear.
    ///
    /// - Parameter handler: Gets the new value, the one before, if there was one, and whether this was a reset. Called outside the lock,
    ///   on the thread that wrote, once for each transaction.
    public func onSet(_ handler: @escaping (_ new: T, _ old: T?, _ isReset: Bool) -> Void) {
        place.holdingItsGraph {
            guard let target, target.ending == nil else { return }
            runner.add(index, handler, for: target)
        }
    }

    /// Calls a closure when the store is done with the node; at once if it already is.
    ///
    /// - Parameter cleanup: Called once, outside the lock.
    public func onCleanup(_ cleanup: @escaping () -> Void) {
        place.holdingItsGraph { runner.addCleanup(cleanup) }
    }

    /// Calls a closure when the store is to finish what its effects have begun; see ``RecoilStore/flush()``.
    ///
    /// - Parameter flush: Called outside the lock, on the thread that asks for it, until the store is done with the node.
    ///   Not kept if it already is.
    public func onFlush(_ flush: @escaping () throws -> Void) {
        place.holdingItsGraph { runner.addFlush(flush) }
    }

    /// Calls a closure once all effects have run and there is something to observe; never if the node has ended.
    func whenReady(_ body: @escaping () -> Void) {
        place.holdingItsGraph { runner.whenInstalled(body) }
    }

    /// The value now, or `nil` if there is none yet. Reading it where reading subscribes does subscribe.
    public var value: T? {
        place.holdingItsGraph { (try? target?.state())?.data }
    }

    /// The last value that there was, whatever has happened since; also during the clean-up.
    var latestValue: T? {
        place.holdingItsGraph { (try? target?.state())?.latestData }
    }

    /// Reads and writes other nodes of the store; `nil` once the store is gone.
    public var accessor: StateAccessor? {
        place.holdingItsGraph { target?.store.map { StateAccessor($0) } }
    }
}

/// Runs the effects of one instance, and keeps what they leave behind.
final class EffectRunner<T: Sendable> {
    private let effects: [AtomEffect<T>]
    private let name: String
    private var waiting: [(index: Int, handler: (T, T?, Bool) -> Void)] = []
    private var reactions: [Reaction] = []
    private var isInstalled = false
    private var hasEnded = false
    private var postponed: [() -> Void] = []
    private var cleanups: [() -> Void] = []
    private(set) var flushes: [() throws -> Void] = []

    init(_ effects: [AtomEffect<T>], name: String) {
        self.effects = effects
        self.name = name
    }

    /// Calls each effect.
    func run(for target: _NodeInstance<T>) {
        guard target.store?.isPassive == false else { return }
        for (index, effect) in effects.enumerated() {
            let context = AtomEffectContext(index, target, self)
            if let cleanup = untracked({ detached { effect.body(context) } }) { addCleanup(cleanup) }
        }
    }

    fileprivate func addCleanup(_ cleanup: @escaping () -> Void) {
        if hasEnded { Hosting.whenUnlocked(cleanup) } else { cleanups.append(cleanup) }
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

    /// Begins to follow the value, once there is one.
    func installHandlers(for target: _NodeInstance<T>) {
        if hasEnded { return }
        isInstalled = true
        let handlers = waiting
        waiting = []
        for (index, handler) in handlers {
            untracked {
                detached {
                    let reaction = target.followSetting(by: index, named: "\(name), effect \(index)", handler)
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
        let rest = reactions.map { reaction in { reaction.cancel() } } + cleanups.reversed()
        reactions = []
        cleanups = []
        flushes = []
        waiting = []
        postponed = []
        return rest
    }
}
