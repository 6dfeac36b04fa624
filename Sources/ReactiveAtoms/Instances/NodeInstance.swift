// What a store keeps of a node, as far as it depends on the type of the value.
//
// Everything here is guarded by the graph's lock.

import Reactive

/// What a store keeps of a node. Public for the compiler's sake; not for use.
public class _NodeInstance<T: Sendable>: _AnyNodeInstance {
    /// When two values count as the same.
    final let equality: Equality<T>

    override init<Node: RecoilNode>(_ node: Node, isAtom: Bool, in store: RecoilStore) {
        equality = ruleForValues(of: T.self)
        super.init(node, isAtom: isAtom, in: store)
    }

    /// The content. Brings it up to date, and records it as read.
    ///
    /// - Throws: What the core throws of a cycle, and nothing else.
    func state() throws -> LoadState<T> { fatalError("internal inconsistency: \(key.name) has no content") }

    /// The value, now.
    func value() throws -> T {
        let state = try state()
        if let error = state.error { throw error }
        guard let data = state.data else { throw CancellationError() }
        return data
    }

    /// The value, if there is one now.
    func data() throws -> T? { try state().data }

    /// The value or the error that it has settled on; `nil` while it is loading.
    func settled() throws -> Result<T, any Error>? { try state().settled }

    /// Keeps a value. Only for atoms.
    func assign(_ value: T, origin: Origin) {}

    /// Keeps a value that the store is initialised with, unless effects have set one. Only for atoms.
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

/// The rules that types imply: finding one takes longer than making an instance. For all graphs.
private let rules = Guarded<[ObjectIdentifier: Any]>([:])

/// When two values of a type count as the same.
private func ruleForValues<T>(of type: T.Type) -> Equality<T> {
    if let known = rules.withLock({ $0[ObjectIdentifier(type)] }) as? Equality<T> { return known }
    let rule = Equality<T>.automatic
    rules.withLock { $0[ObjectIdentifier(type)] = rule }
    return rule
}
