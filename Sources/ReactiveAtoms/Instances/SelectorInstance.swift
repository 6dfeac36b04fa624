// The instance of a selector whose value is available immediately: a computed of results.
//
//     SelectorInstance<T>        the content: reading
//     └─ DefinedSelector<Node>   the node: computing
//
// The closure of the content retains the instance, until the instance has ended and the content has no readers.

import Reactive

@_fixed_layout @usableFromInline
class SelectorInstance<T: Sendable>: _NodeInstance<T> {
    /// Retained here; `nil` after the end of the instance. A read does not retain it: code that replaces the content
    /// keeps the old one alive until the graph is unlocked.
    @exclusivity(unchecked) @usableFromInline final var heldContent: Unmanaged<Computed<Result<T, any Error>>>?

    @inlinable
    init(
        key: NodeKey, definition: _NodeDefinition, retention: Retention, nodeType: Any.Type, in table: InstanceTable
    ) {
        super.init(
            key: key, definition: definition, retention: retention, nodeType: nodeType, kind: .selector, isAtom: false,
            in: table)
    }

    private final var content: Computed<Result<T, any Error>>? { heldContent?.takeUnretainedValue() }

    // MARK: - Reading

    /// Returns the value, computed now if necessary.
    @inlinable @inline(__always)
    final func current() throws -> T {
        guard let heldContent else { throw CancellationError() }
        return try heldContent._withUnsafeGuaranteedRef { content in
            guard let result = content.valueUnlessInCycle else { throw content.cycle }
            return try result.get()
        }
    }

    override final func value() throws -> T { try current() }

    override final func follow() throws { try content?.followDerivation() }

    override final func state() throws -> LoadState<T> {
        do {
            return LoadState(.success(try current()))
        } catch let cycle as CycleError {
            throw cycle
        } catch {
            return LoadState(.failure(error))
        }
    }

    override final var contentVersion: UInt64 { content?.version ?? 0 }

    /// The nodes among the sources of the content.
    override final var dependencies: [_AnyNodeInstance] {
        var found: [_AnyNodeInstance] = []
        content?.forEachSourceRead { if let instance = $0 as? _AnyNodeInstance { found.append(instance) } }
        return found
    }

    // MARK: - Replacing the content

    /// Creates the content.
    func makeContent() -> Computed<Result<T, any Error>>? { nil }

    override final func reload() {
        let old = heldContent
        heldContent = makeContent().map { .passRetained($0) }
        noteReplacedContent()
        old?._withUnsafeGuaranteedRef { $0.releaseReferenceLater() }
    }

    override final func dismantle() -> [() -> Void] {
        if let content = heldContent {
            // No test sees this left out: only a read that began before the end would find the content.
            heldContent = nil
            content._withUnsafeGuaranteedRef { content in
                // No test sees this left out: otherwise, freeing the content takes the lock to do this.
                content.forgetSources()
                content.releaseReferenceLater()
            }
        }
        return []
    }
}

/// The instance of a selector of a type.
@_fixed_layout @usableFromInline
final class DefinedSelector<Node: RecoilSyncNode>: SelectorInstance<Node.T> {
    @usableFromInline let selector: Node
    /// The override of the closure.
    @usableFromInline let replacement: (() throws -> Node.T)?

    @inlinable
    init(_ node: borrowing Node, in store: borrowing RecoilStore) {
        selector = node._unretained
        replacement = store.overriding(node)
        // Uses the parameter, because reading a part of a property copies all of the property.
        super.init(
            key: node.key.unretained, definition: node._definition, retention: node.retention, nodeType: Node.self,
            in: store.table)
        // An override does not use the node's closure.
        if replacement != nil { acceptDefinition() }
        heldContent = .passRetained(createContent())
    }

    @inlinable
    func createContent() -> Computed<Result<Node.T, any Error>> {
        Computed(namedBy: self, compute: { self.evaluate() }, evaluate: rules.recompute)
    }

    override func makeContent() -> Computed<Result<Node.T, any Error>>? { createContent() }

    @inlinable
    func evaluate() -> Result<Node.T, any Error> {
        do {
            if let replacement { return .success(try replacement()) }
            return .success(try selector.getValue(StateGetter(.selector(self))))
        } catch {
            return .failure(error)
        }
    }
}
