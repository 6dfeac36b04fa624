// The argument of a callback of a scope or a component: the store, and a function that keeps running work.

public import Reactive

#if canImport(Combine)
import Combine
#endif

/// The argument of a callback. It retains the store, and may be used from any thread.
public struct RecoilCallbackContext: NodeWriting {
    /// The accessor that reads and writes the store.
    public let accessor: StateAccessor
    /// Keeps a cancellable as long as the scope. If the scope has been released, cancels it immediately. May be called
    /// from any thread.
    public let store: (AnyCancellable) -> Void

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - accessor: Reads and writes the store.
    ///   - store: Keeps a cancellable.
    public init(accessor: StateAccessor, store: @escaping (AnyCancellable) -> Void) {
        self.accessor = accessor
        self.store = store
    }
}

extension Cancellable {
    /// Keeps this running as long as the scope that created the callback. If the scope has been released, cancels it
    /// immediately.
    ///
    /// - Parameter context: The argument of the callback.
    public func store(in context: RecoilCallbackContext) { context.store(AnyCancellable(self)) }
}
