// The nodes that stored properties create: one for each instance, released with its last copy.

import Reactive

/// The lifetime of the copies of a node, or of a family, that a stored property created.
///
/// The copies share it; stores do not. When it ends, the stores that have used the node release it.
@usableFromInline
final class NodeLifetime: Sendable {
    private static let count = Guarded<UInt64>(0)

    let number: UInt64
    private let stores = Guarded<[StoreReference]>([])

    init() {
        number = Self.count.withLock { count in
            count += 1
            return count
        }
    }

    /// Adds a store, which releases the node at the end.
    func add(_ store: RecoilStore) {
        let reference = StoreReference(store)
        stores.withLock { stores in
            stores.removeAll { $0.id == reference.id }
            stores.append(reference)
        }
    }

    deinit {
        let number = number
        for store in stores.exchange(for: []) { store.releaseNodes(of: number) }
    }

    /// A store that may have been released, to be used under its graph's lock.
    private struct StoreReference: @unchecked Sendable {
        // Sendable because the store is.
        let id: ObjectIdentifier
        private weak var store: RecoilStore?
        private let graph: GraphHandle

        init(_ store: RecoilStore) {
            id = ObjectIdentifier(store)
            self.store = store
            graph = store.graph
        }

        func releaseNodes(of lifetime: UInt64) {
            // The last copy may be released in the middle of another operation.
            graph.lockWhenFree { graph.whenFree { graph.withLock { store?.releaseNodes(of: lifetime) } } }
        }
    }
}
