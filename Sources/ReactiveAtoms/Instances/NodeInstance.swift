// The part of an instance that depends on the type of the value.
//
// Everything here is guarded by the graph's lock.

import Reactive

extension _AnyNodeInstance {
    /// Returns the instance with its type, which follows from the key of the node, after comparing the node's
    /// definition. Under the lock.
    @inlinable @inline(__always)
    final func instance<Node: RecoilNode>(for node: Node) -> _NodeInstance<Node.T> {
        check(node._definition)
        return unsafeDowncast(self, to: _NodeInstance<Node.T>.self)
    }
}

/// A store's instance of a node. Public for the compiler only; do not use it.
@_fixed_layout
public class _NodeInstance<T: Sendable>: _AnyNodeInstance {
    @usableFromInline final let rules: ValueRules<T>

    @inlinable
    override init(
        key: NodeKey, definition: _NodeDefinition, retention: Retention, nodeType: Any.Type, kind: Kind, isAtom: Bool,
        in table: InstanceTable
    ) {
        rules = table.rules(for: T.self)
        super.init(
            key: key, definition: definition, retention: retention, nodeType: nodeType, kind: kind, isAtom: isAtom,
            in: table)
    }

    /// The rule by which two values count as the same.
    final var equality: Equality<T> { rules.equality }

    /// Returns the current value, after recording the read where reads are tracked.
    @inlinable @inline(__always)
    final func trackedValue() throws -> T {
        noteObserver()
        return try currentValue()
    }

    /// Returns the current value: a short path for the most frequent kinds.
    @inlinable @inline(__always)
    final func currentValue() throws -> T {
        switch kind {
        case .atom: try unsafeDowncast(self, to: AtomInstance<T>.self).current()
        case .selector: try unsafeDowncast(self, to: SelectorInstance<T>.self).current()
        case .other: try value()
        }
    }

    /// Returns the content. Brings it up to date, and records it as read.
    ///
    /// - Throws: Only the core's error for a cycle.
    func state() throws -> LoadState<T> { fatalError(missing) }

    /// Returns the current value, or throws if there is none.
    @usableFromInline
    func value() throws -> T {
        // Kinds that have errors for their readers override it.
        guard let data = try state().data else { throw CancellationError() }
        return data
    }

    /// Stores a value that is set, and ends one `enter`. Only for atoms.
    @inlinable @inline(__always)
    final func assignAndLeave(_ value: T) {
        // No test sees this never hold: it only saves the dispatch.
        if kind == .atom {
            unsafeDowncast(self, to: AtomInstance<T>.self)
                .writeAndLeave(AtomInstance<T>.Cell(.success(value), origin: .set))
        } else {
            assign(value, origin: .set)
            leave()
        }
    }

    /// Returns the outcome; `nil` while it is loading.
    func outcome() throws -> Result<T, any Error>? { try state().outcome }

    /// Stores a value. Only for atoms.
    @usableFromInline
    func assign(_ value: T, origin: Origin) {}

    /// Stores an initial value of the store, unless effects have set one. Only for atoms.
    @usableFromInline
    func initialize(_ value: T) {}

    /// Stores the result of a closure when the closure returns, unless the atom has been set meanwhile. Only for atoms,
    /// while their effects run.
    ///
    /// - Returns: A closure that cancels the load, if there is something to cancel.
    func load(_ load: @escaping @Sendable () async throws -> T?) -> (() -> Void)? { nil }

    /// Resets it to its default. Only for atoms.
    func reset() {}

    /// Calls a handler whenever the value is set, except by that effect. Only for atoms.
    func followSetting(
        by effect: Int, named name: String, _ handler: @escaping (T, T?, Bool) -> Void
    ) -> Reaction? { nil }

    override final func resetAtom() { reset() }

    override func summary() throws -> (isLoading: Bool, error: (any Error)?) {
        let state = try state()
        return (state.isLoading, state.error)
    }

    override final func fingerprint() -> () throws -> Bool {
        guard case .success(let value)? = try? outcome() else { return { false } }
        return { [weak self] in
            guard let self, self.ending == nil, case .success(let current)? = try self.outcome() else {
                return false
            }
            return self.equality(value, current)
        }
    }
}
