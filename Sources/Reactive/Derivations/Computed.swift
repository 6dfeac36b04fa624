// A value derived from other values, cached until one of them changes.
//
// A typed shell over a derivation node, like `Observable` over a source: the closure, the cached value, and
// `recompute`, the only function that runs the closure. The comparison is compiled into the closure that the graph
// calls (`_Derivation.evaluate`).

import CReactive

/// A value derived from other values, cached until one of them changes.
///
/// ```swift
/// let total = Computed {
///     print("adding")
///     return prices.value.reduce(0, +)
/// }
/// print(total.value)  // prints "adding", "15"
/// print(total.value)  // prints "15"
/// ```
///
/// - Lazy: the closure runs only when the value is read and something that the closure read has changed.
/// - Glitch-free: it never sees a mix of old and new values.
/// - If a new result equals the previous one (see ``Equality``), nothing downstream runs.
/// - The cache also works without observers. A computed without observers costs its sources nothing, and they do not
///   keep it alive. Reading it takes O(1) while nothing in the graph has changed, otherwise O(its dependencies).
/// - A computed that reads itself, directly or through others, stops the program with a message that shows the path of
///   names. A ``ThrowingComputed`` throws ``CycleError`` instead.
/// - Writing state inside is allowed, but belongs in a reaction; debug builds report it.
/// - Any thread may read a value that is cached and up to date. The closure runs on the reader's thread with the graph
///   locked, so it must not wait for another thread.
/// - A computed that is created on an actor belongs to that actor. A read elsewhere that has to evaluate it stops the
///   program with a message, unless it was created with `isolation: nil`. A computed that is not created on an actor
///   runs on any thread. Everything that it captures, except observables, must be safe to use there.
@_fixed_layout
public final class Computed<Value>: _Derivation {
    @usableFromInline final let compute: () -> Value
    @usableFromInline final let freeing = FreeingMark()

    /// Creates a computed; all other initialisers call this one.
    @inlinable
    init(
        named name: String?, fileID: StaticString, line: UInt, compute: @escaping () -> Value,
        evaluate: @escaping (_Derivation) -> Bool
    ) {
        self.compute = compute
        // No test sees this never hold: it only saves steps.
        if name == nil, let origin = NodeName.packed(fileID, line) {
            super.init(graph: .current, origin: origin, evaluate: evaluate)
        } else {
            super.init(graph: .current, name: name, fileID: fileID, line: line, evaluate: evaluate)
        }
    }

    /// Creates a computed in the current graph that takes its name from a source. `compute` keeps the source alive.
    ///
    /// - Parameters:
    ///   - source: The source.
    ///   - compute: Returns the value.
    ///   - evaluate: Evaluates the computed that is passed to it, by calling `recompute`.
    @inlinable
    package init(
        namedBy source: _Node, compute: @escaping () -> Value, evaluate: @escaping (_Derivation) -> Bool
    ) {
        self.compute = compute
        super.init(graph: .current, origin: 0, evaluate: evaluate)
        beNamed(by: source)
    }

    @inlinable
    deinit {
        let later = FreeingMark.begin()
        // No test sees this always hold: any closure may be released later.
        if later { FreeingMark.postpone(compute) }
        if node.pointee.flags.contains(.hasValue) { deinitializeStorage(later: later) }
    }

    /// The value, evaluated now if necessary. Reading it in an observer subscribes that observer.
    ///
    /// - Precondition: Not read by its own closure, directly or through others.
    @inlinable
    public final var value: Value {
        @inline(__always) get {
            // Through the pointer and not the object, which then need not be kept alive around the calls.
            let observer = observer
            let node = observer.asNode
            let mode = reactive_read_mode(node, [.notCurrent, .live], .live)
            // No test sees this never hold: it only saves the lock.
            if mode == REACTIVE_READ_KNOWN {
                node.advanceCursor()
                return Computed.storage(in: observer).pointee
            }
            // No test sees this never hold: it only saves the lock.
            if reactive_is_expected(node) {
                node.pointee.graph.refreshExpected(observer)
                return Computed.storage(in: observer).pointee
            }
            // No test sees this never hold: it only saves the lock.
            // No test sees this always hold: another thread would have to write within a few instructions.
            if _isPOD(Value.self), mode == REACTIVE_READ_FREE {
                let graph = node.pointee.graph
                let word = reactive_read_begin(graph)
                // No test sees this never hold: it only saves the lock.
                if reactive_may_read(word), reactive_is_current(node),
                    let storage = Computed.validStorage(in: observer, of: graph, since: word)
                {
                    let value = storage.pointee
                    // No test sees this never hold: it only saves the lock.
                    // No test sees this always hold: another thread would have to write within a few instructions.
                    if _withUnprotectedUnsafePointer(to: value, { reactive_read_is_valid(graph, word, $0) }) {
                        return value
                    }
                }
            }
            return readUnderLock()
        }
    }

    @inlinable @inline(never)
    final func readUnderLock() -> Value {
        guard let value = valueUnlessInCycle(canThrow: false) else { graph.stopForCycle(through: node) }
        return value
    }

    /// The value, or `nil` if computing it would require the value of its reader.
    @inlinable @inline(__always)
    final func valueUnlessInCycle(canThrow: Bool) -> Value? {
        let graph = graph
        graph.enter(for: node)
        defer { graph.leave() }
        guard graph.noteRead(ofDerivation: observer, canThrow: canThrow) else { return nil }
        return storage.pointee
    }

    /// Runs the closure and stores its result. Returns whether the result counts as a change. Called by the graph,
    /// which tracks the reads.
    ///
    /// - Parameters:
    ///   - areEqual: Returns whether two results count as the same.
    ///   - isStored: Whether a result that counts as the same replaces the last one.
    ///   - isPlain: Whether destroying a result can run no user code, so that it need not be deferred.
    @inlinable @inline(__always)
    package final func recompute(
        _ areEqual: (Value, Value) -> Bool, isStored: (Value, Value) -> Bool = { _, _ in false },
        isPlain: (Value) -> Bool = { _ in _isPOD(Value.self) }
    ) -> Bool {
        let new = compute()
        guard node.pointee.flags.contains(.hasValue) else {
            initializeStorage(to: new)
            // No test sees this: nobody has read a value before the first one.
            return true
        }
        let storage = storage
        // A user's `==` may read observables. Those reads are not dependencies of the closure. Plain bits read nothing.
        // No test sees this never hold: it only saves steps.
        let isSame = _isPOD(Value.self) ? areEqual(storage.pointee, new) : untracked { areEqual(storage.pointee, new) }
        if isSame, !isStored(storage.pointee, new) { return false }
        if graph.pointee.log_count > 0 {
            replaceInTransaction(new)
            // No test sees this never hold: it only saves steps.
        } else if isPlain(storage.pointee) {
            storage.pointee = new
        } else {
            // The old value is destroyed after the graph is unlocked, because its deinitialiser may run any code.
            let replaced = storage.move()
            storage.initialize(to: new)
            FreeingMark.postpone(replaced)
        }
        return !isSame
    }

    /// Stores a new value, and keeps the old one in case the transaction is rolled back.
    @inlinable @inline(never)
    final func replaceInTransaction(_ new: Value) {
        let storage = storage
        let replaced = storage.move()
        storage.initialize(to: new)
        let room = graph.roomForReplacedValue(
            of: node, size: MemoryLayout<Value>.size, alignment: MemoryLayout<Value>.alignment,
            // No test sees this always hold: to destroy plain bits does nothing.
            needsDestruction: !_isPOD(Value.self))
        if let room {
            room.initializeMemory(as: Value.self, to: replaced)
            // No test sees this always hold: any value may be released later.
        } else if !_isPOD(Value.self) {
            FreeingMark.postpone(replaced)
        }
    }

    // MARK: - The transaction log

    override final func exchangeValue(withLogged value: UnsafeMutableRawPointer) {
        swap(&storage.pointee, &value.assumingMemoryBound(to: Value.self).pointee)
    }

    override final func discardValue(logged value: UnsafeMutableRawPointer) {
        DeferredReleases.add(value: value.assumingMemoryBound(to: Value.self).move())
    }
}

extension Computed: @unchecked Sendable where Value: Sendable {
    // The graph's lock guards the cache and serialises the closure.
}
