// What a store keeps of a selector whose value is there at once: a throwing computed.

import Reactive

final class SelectorInstance<T: Sendable>: _NodeInstance<T> {
    private let compute: (StateGetter) throws -> T
    private var content: ThrowingComputed<T>?
    private var sources = DependencyList()

    init<Node: RecoilSyncNode>(_ node: Node, in store: RecoilStore) where Node.T == T {
        let replacement = store.overriding(node)
        if let replacement {
            compute = { _ in try replacement() }
        } else {
            compute = { try node.getValue($0) }
        }
        super.init(node, isAtom: false, in: store)
        // An override has no use for the node's closure, and does not keep it.
        if replacement != nil { isDefinitionSettled = true }
        content = makeContent()
    }

    private func makeContent() -> ThrowingComputed<T> {
        ThrowingComputed(named: key.name, equals: equality) { [weak self] in
            guard let self, self.store != nil, self.ending == nil else { throw CancellationError() }
            self.sources.removeAll()
            return try self.compute(StateGetter(.selector(self)))
        }
    }

    /// Notes what the running evaluation reads.
    func add(_ dependency: _AnyNodeInstance) { sources.append(dependency) }

    override var dependencies: [_AnyNodeInstance] { sources.instances }

    override func state() throws -> LoadState<T> {
        guard let content else { return LoadState(.failure(CancellationError())) }
        do {
            return LoadState(.success(try content.value))
        } catch let cycle as CycleError {
            throw cycle
        } catch {
            return LoadState(.failure(error))
        }
    }

    // Shorter ways than by way of the state, for what is read most.

    override func value() throws -> T {
        guard let content else { throw CancellationError() }
        return try content.value
    }

    override func data() throws -> T? { try? value() }

    override func follow() throws { try content?.follow() }

    override var version: UInt64 { content?.version ?? 0 }

    override func reload() {
        content = makeContent()
        noteReplacedContent()
    }

    override func dismantle() -> [() -> Void] {
        sources.removeAll()
        return []
    }
}

extension SelectorInstance: DependencyRecorder {}
