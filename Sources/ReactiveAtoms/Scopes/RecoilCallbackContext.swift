// What a callback of a scope or a component gets: the store, and a place for what it starts.

public import Reactive

/// What a callback is handed. It keeps the store, and may be used from any thread.
public struct RecoilCallbackContext: NodeWriting {
    /// Reads and writes the store.
    public let accessor: StateAccessor
    /// Keeps something cancellable as long as the scope; cancels it at once if the scope is gone. May be called from any thread.
    public let store: (AnyCancellable) -> Void

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - accessor: Reads and writes the store.
    ///   - store: Keeps something cancellable.
    public init(accessor: StateAccessor, store: @escaping (AnyCancellable) -> Void) {
        self.accessor = accessor
        self.store = store
    }
}

extension Cancellable {
    /// Keeps this running as long as the scope that made the callback; cancels it at once if the scope is gone.
    ///
    /// - Parameter context: What the callback was handed.
    public func store(in context: RecoilCallbackContext) { context.store(AnyCancellable(self)) }
}
