// What a store keeps of a node, as far as it depends on the type of the value.
//
// Everything here is guarded by the graph's lock.

import Reactive

extension _AnyNodeInstance {
    /// The instance with its type, which the key of the node implies, after a look at how the node is defined. Under
    /// the lock.
    @inlinable @inline(__always)
    final func instance<Node: RecoilNode>(for node: Node) -> _NodeInstance<Node.T> {
        check(node._definition)
        return unsafeDowncast(self, to: _NodeInstance<Node.T>.self)
    }
}

/// What a store keeps of a node. Public for the compiler only; do not use it.
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

    /// When two values count as the same.
    final var equality: Equality<T> { rules.equality }

    /// The value, now, after recording that it is read where reading subscribes.
    @inlinable @inline(__always)
    final func trackedValue() throws -> T {
        noteObserver()
        return try currentValue()
    }

    /// The value, now: by the shortest way for what is read most.
    @inlinable @inline(__always)
    final func currentValue() throws -> T {
        switch kind {
        case .atom: try unsafeDowncast(self, to: AtomInstance<T>.self).current()
        case .selector: try unsafeDowncast(self, to: SelectorInstance<T>.self).current()
        case .other: try value()
        }
    }

    /// The content. Brings it up to date, and records it as read.
    ///
    /// - Throws: Only the core's error for a cycle.
    func state() throws -> LoadState<T> { fatalError("internal inconsistency: \(key.name) has no content") }

    /// The value, now.
    @usableFromInline
    func value() throws -> T {
        let state = try state()
        if let error = state.error { throw error }
        guard let data = state.data else { throw CancellationError() }
        return data
    }

    /// Keeps a value that is set, and ends one `enter`. Only for atoms.
    @inlinable @inline(__always)
    final func assignAndLeave(_ value: T) {
        if kind == .atom {
            unsafeDowncast(self, to: AtomInstance<T>.self)
                .writeAndLeave(AtomInstance<T>.Cell(.success(value), origin: .set))
        } else {
            assign(value, origin: .set)
            leave()
        }
    }

    /// The value or the error that it has settled on; `nil` while it is loading.
    func settled() throws -> Result<T, any Error>? { try state().settled }

    /// Keeps a value. Only for atoms.
    @usableFromInline
    func assign(_ value: T, origin: Origin) {}

    /// Keeps a value that the store is initialised with, unless effects have set one. Only for atoms.
    @usableFromInline
    func initialize(_ value: T) { assign(value, origin: .set) }

    /// Keeps what a closure returns, once it has, unless the atom is set meanwhile. Only for atoms, while their effects
    /// run.
    ///
    /// - Returns: A closure that cancels it, if there is something to cancel.
    func load(_ load: @escaping @Sendable () async throws -> T?) -> (() -> Void)? { nil }

    /// Gives the default back. Only for atoms.
    func reset() {}

    /// Calls a handler whenever the value is set by anybody but one of the effects. Only for atoms.
    func followSetting(
        by effect: Int, named name: String, _ handler: @escaping (T, T?, Bool) -> Void
    ) -> Reaction? { nil }

    override func follow() throws { _ = try state() }

    override final func resetAtom() { reset() }

    override func summary() throws -> (isLoading: Bool, error: (any Error)?) {
        let state = try state()
        return (state.isLoading, state.error)
    }

    override final func fingerprint() -> () throws -> Bool {
        guard case .success(let value)? = try? settled() else { return { false } }
        return { [weak self] in
            guard let self, self.ending == nil, case .success(let current)? = try self.settled() else {
                return false
            }
            return self.equality(value, current)
        }
    }
}
