// The storage of a property marked `@Cached`: the computed that its getter reads, created by the first read.
//
// The macro is in a package of its own, `Macros`, because it depends on swift-syntax. This type is here because it must
// find the owner's graph: the graph in which the owner was created, which may differ from that of the first reader.
//
// Most reads find the computed. They look without the lock, as reads of an observable do, and then check that no thread
// held the graph meanwhile. The computed is set once, under the lock.

import CReactive

/// The storage of a property marked `@Cached`. Public only for code that the macro generates; do not use it directly.
///
/// May be used from any thread where the owner may be used.
public final class _CachedProperty<Value> {
    @usableFromInline final let graph: GraphPointer
    /// Keeps an independent graph alive; `nil` for the default graph.
    private final let independent: IndependentGraph?
    private final let fileID: StaticString
    private final let line: UInt
    // Set once, under the graph's lock. Unchecked, because reads without the lock may overlap with the write.
    @exclusivity(unchecked) @usableFromInline final var computed: Unmanaged<Computed<Value>>?

    /// Creates the storage, as a part of its owner, in the owner's graph.
    ///
    /// - Parameters:
    ///   - fileID: The file of the property.
    ///   - line: The line of the property.
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
        graph = .current
        independent = graph.independent?.takeUnretainedValue()
        self.fileID = fileID
        self.line = line
    }

    deinit { computed?.release() }

    /// Returns the value of the computed, which the first read creates in the owner's graph.
    ///
    /// - Parameters:
    ///   - owner: The object whose property this is. Held weakly.
    ///   - isolation: The actor that `compute` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - compute: Returns the value for the owner. The first read keeps it as long as the storage; it runs on the
    ///     reader's thread with the graph locked.
    /// - Returns: The value, evaluated now if necessary.
    /// - Complexity: As reading a `Computed`.
    @inlinable
    public func value<Owner: AnyObject>(
        of owner: Owner, isolation: isolated (any Actor)? = #isolation, _ compute: @escaping (Owner) -> Value
    ) -> Value {
        // No test sees this never hold: it only saves the lock.
        if let existing { return existing._withUnsafeGuaranteedRef { $0.value } }
        return create(of: owner, isolation: isolation, compute).value
    }

    /// Returns the value of an actor's computed, which the first read creates and which is evaluated on the actor.
    ///
    /// - Parameters:
    ///   - owner: The actor whose property this is. Held weakly.
    ///   - compute: Returns the value for the owner. The first read keeps it as long as the storage.
    /// - Returns: The value, evaluated now if necessary.
    /// - Complexity: As reading a `Computed`.
    @inlinable
    public func value<Owner: Actor>(
        of owner: isolated Owner, _ compute: @escaping (isolated Owner) -> Value
    ) -> Value {
        // No test sees this never hold: it only saves the lock.
        if let existing { return existing._withUnsafeGuaranteedRef { $0.value } }
        return create(of: owner, isolation: owner, Isolation.plain(compute)).value
    }

    /// The computed, if it can be found without the lock. It lives as long as the storage.
    @inlinable @inline(__always)
    // No test sees this block: the computed is set once, so only a processor that reorders reads finds less than all of
    // it. Without a result, the caller takes the lock.
    final var existing: Unmanaged<Computed<Value>>? {
        if let held = reactive_current().pointee.graph { return held == graph ? computed : nil }
        let word = reactive_read_begin(graph)
        guard reactive_may_read(word) else { return nil }
        let computed = computed
        return _withUnprotectedUnsafePointer(to: computed, { reactive_read_is_valid(graph, word, $0) }) ? computed : nil
    }

    @usableFromInline
    final func create<Owner: AnyObject>(
        of owner: Owner, isolation: isolated (any Actor)?, _ compute: @escaping (Owner) -> Value
    ) -> Computed<Value> {
        graph.enter()
        defer { graph.leave() }
        if let computed { return computed.takeUnretainedValue() }
        // This thread holds the owner's graph, so the computed is created there.
        let created = Computed(of: owner, isolation: isolation, fileID: fileID, line: line, compute)
        computed = .passRetained(created)
        return created
    }
}

extension _CachedProperty: @unchecked Sendable where Value: Sendable {
    // `computed` is set under the graph's lock; everything else is immutable.
}
