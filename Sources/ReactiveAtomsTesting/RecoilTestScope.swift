// A store and a scope for a test, with stubs and counters.

import Reactive

@_exported public import ReactiveAtoms

/// A store and a scope for one test: `@RecoilTestScope var recoil`.
///
/// ```swift
/// @RecoilTestScope var recoil
///
/// _recoil.stubState(node: price, value: 5)  // or error:, or type:
/// print(recoil.useValue(total) ?? 0)        // prints "10"
/// ```
///
/// Works with any test framework.
@propertyWrapper
public final class RecoilTestScope {
    /// The store.
    public var store: RecoilStore { wrappedValue.store }
    /// The scope, which reads and writes the store as a view does.
    public let wrappedValue: ScopedRecoilContext
    /// The number of refreshes that the scope has requested.
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

    /// Starts anew: an empty store, no stubs, no refreshes.
    public func reset() {
        wrappedValue.startOver(with: RecoilStore(beside: store))
        viewRefreshCount = 0
    }

    /// ``reset()`` by another name.
    public func purge() { reset() }

    /// An accessor that reads and writes the store without following anything.
    public var accessor: StateAccessor { StateAccessor(store) }

    /// Returns ``accessor``; the dependencies are not needed.
    public func accessor(deps: [NodeKey]) -> StateAccessor { accessor }

    // MARK: - Stubs

    /// Replaces a node with a value, also for the nodes that depend on it. The last stub of a node counts.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - value: The value.
    public func stubState<Node: RecoilNode>(node: Node, value: Node.T) { store.override(node, value: value) }

    /// Makes a node fail, also for the nodes that depend on it.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - error: The error that reading it throws.
    public func stubState<Node: RecoilNode>(node: Node, error: any Error) { store.override(node, error: error) }

    /// Replaces all nodes of a type with a value, except those that have stubs of their own.
    ///
    /// - Parameters:
    ///   - type: The type of the nodes.
    ///   - value: The value.
    public func stubState<Node: RecoilNode>(type: Node.Type, value: Node.T) { store.override(type) { _ in value } }

    /// Makes all nodes of a type fail, except those that have stubs of their own.
    ///
    /// - Parameters:
    ///   - type: The type of the nodes.
    ///   - error: The error that reading them throws.
    public func stubState<Node: RecoilNode>(type: Node.Type, error: any Error) {
        store.override(type) { _ in throw error }
    }

    // MARK: - Waiting

    /// Waits until a node that the scope has used changes.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time to wait.
    ///   - clock: The clock that measures the time.
    ///   - task: Causes the change. Called when a change can no longer be missed.
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

/// An error: an event that a test waited for did not happen in time.
public struct RecoilTestTimeout: Error, CustomStringConvertible {
    /// A readable description of the missing event.
    public let description: String

    init(_ description: String) { self.description = description }
}
