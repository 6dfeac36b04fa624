// A store and a scope for a test, with stubs and counters.

import Reactive

#if DOCUMENTATION
// Exported symbols would be documented as the module's own.
public import ReactiveAtoms
#else
@_exported public import ReactiveAtoms
#endif

/// A store and a scope of a test's own: `@RecoilTestScope var recoil`.
///
/// ```swift
/// @RecoilTestScope var recoil
///
/// _recoil.stubState(node: price, value: 5)  // or error:, or type:
/// print(recoil.useValue(total) ?? 0)        // prints "10"
/// ```
///
/// Needs no test framework.
@propertyWrapper
public final class RecoilTestScope {
    /// The store.
    public var store: RecoilStore { wrappedValue.store }
    /// The scope, which reads and writes the store as a view does.
    public let wrappedValue: ScopedRecoilContext
    /// How often the scope has asked its view to refresh.
    public private(set) var viewRefreshCount = 0

    private let changes = ChangeSignal()

    /// Creates a scope with an empty store.
    ///
    /// - Parameter isolation: The actor that refreshes; by default the caller's.
    public init(isolation: isolated (any Actor)? = #isolation) {
        wrappedValue = ScopedRecoilContext(store: RecoilStore(), isolation: isolation)
        wrappedValue.onChange = { [weak self] nodes in
            self?.viewRefreshCount += 1
            self?.changes.send(nodes)
        }
    }

    /// Starts afresh: an empty store, no stubs, no refreshes.
    public func reset() {
        wrappedValue.startOver(with: RecoilStore(beside: store))
        viewRefreshCount = 0
    }

    /// ``reset()`` by another name.
    public func purge() { reset() }

    /// Reads and writes the store without following anything.
    public var accessor: StateAccessor { StateAccessor(store) }

    /// ``accessor`` in the form of a call; the dependencies are not needed.
    public func accessor(deps: [NodeKey]) -> StateAccessor { accessor }

    // MARK: - Stubs

    /// Lets a node have a value instead of its own; those who depend on it see it. The last stub of a node wins.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - value: The value.
    public func stubState<Node: RecoilNode>(node: Node, value: Node.T) { store.override(node, value: value) }

    /// Lets a node fail; those who depend on it see that.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - error: What reading it throws.
    public func stubState<Node: RecoilNode>(node: Node, error: any Error) { store.override(node, error: error) }

    /// Lets all nodes of a type have a value, except those that are stubbed themselves.
    ///
    /// - Parameters:
    ///   - type: The type of the nodes.
    ///   - value: The value.
    public func stubState<Node: RecoilNode>(type: Node.Type, value: Node.T) { store.override(type) { _ in value } }

    /// Lets all nodes of a type fail, except those that are stubbed themselves.
    ///
    /// - Parameters:
    ///   - type: The type of the nodes.
    ///   - error: What reading them throws.
    public func stubState<Node: RecoilNode>(type: Node.Type, error: any Error) {
        store.override(type) { _ in throw error }
    }

    // MARK: - Waiting

    /// Waits until something that the scope has used changes.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait at most.
    ///   - clock: Where time comes from.
    ///   - task: What is to cause the change; it begins once a change can no longer be missed.
    /// - Returns: The nodes that have changed.
    /// - Throws: ``RecoilTestTimeout`` if nothing changes in time, `CancellationError` if the task is cancelled.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    @discardableResult
    public nonisolated(nonsending) func waitNextStateChange<C: Clock>(
        timeout: Duration = .seconds(3), clock: C = ContinuousClock(), task: (() -> Void)? = nil
    ) async throws -> [NodeKey] where C.Duration == Duration {
        let change = changes.next()
        let timer = Task {
            if (try? await clock.sleep(for: timeout)) != nil {
                change.finish(.failure(RecoilTestTimeout("No node that the scope has used changed in \(timeout).")))
            }
        }
        defer { timer.cancel() }
        task?()
        return try await change.value()
    }
}

/// Something that a test waited for did not happen in time.
public struct RecoilTestTimeout: Error, CustomStringConvertible {
    /// A sentence for people.
    public let description: String

    init(_ description: String) { self.description = description }
}
