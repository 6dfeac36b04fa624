// The observables and objects of a graph that have several paths, remembered between patches.
//
// There are two sources of this information:
//
//     a deep observation of the same root    its links give the number of paths to an observable
//     a traversal of the graph               finds everything shared, usually nothing; valid until something is written
//
// The result of a traversal remains valid after the writes of `apply`: decoding creates new objects, and moving or
// removing elements adds no paths. So a series of patches needs one traversal, of O(graph). If a type's `init(from:)`
// returns objects that are already in the graph, the next traversal notices them.

import Reactive

/// The observables and objects below a root that have several paths. Under the lock, for the length of a call.
final class SharedIdentities<Root: Encodable> {
    private let root: Root
    private let graph: GraphHandle
    private let info: [CodingUserInfoKey: Any]
    private let observed: (any PathMap)?
    private var shared: Set<Identity>?
    private var lastSearch: SharingSearch?
    /// The first observable below the root, which identifies the remembered traversal.
    private lazy var first = firstObservable(in: root)

    /// Creates the value from what is known about the root.
    ///
    /// - Parameters:
    ///   - root: The root of the graph.
    ///   - observable: An observable below the root.
    ///   - graph: The graph of the root's state.
    ///   - info: The user info for `encode(to:)`.
    init(below root: Root, from observable: _Node, in graph: GraphHandle, info: [CodingUserInfoKey: Any]) {
        self.root = root
        self.graph = graph
        self.info = info
        // No test sees this always hold: it would read the observers while a thread could change them.
        guard observable.obstacle == nil else {
            observed = nil
            return
        }
        observed = observable.firstObservingPart { ($0 as? any PartOfPathMap)?.pathMap(below: root) }
    }

    /// Whether an observable has several paths.
    ///
    /// - Parameters:
    ///   - identity: The observable.
    ///   - path: Returns all objects on the path to it, including itself.
    func isShared(_ identity: Identity, on path: () -> [Identity]) -> Bool {
        if let isAlone = observed?.hasOnePath(identity) { return !isAlone }
        let shared =
            shared ?? RememberedSearches.shared(below: root, first, in: graph)
            // No test sees this: recording the parents only takes longer.
            ?? search(recordsParents: false).shared
        self.shared = shared
        // No test sees this always hold: a path is counted in vain if it has nothing that is shared.
        return !shared.isEmpty && path().contains(where: shared.contains)
    }

    /// Returns the map that counts the paths to an observable or object.
    func map(with identity: Identity) -> any PathMap {
        // No test sees this never hold: a search finds the same paths, and only takes longer.
        if let observed, observed.parents(of: identity) != nil { return observed }
        return search(recordsParents: true)
    }

    private func search(recordsParents: Bool) -> SharingSearch {
        if let lastSearch { return lastSearch }
        let search = SharingSearch(from: root, recordsParents: recordsParents, info: info)
        // No test sees this never hold: a second search finds the same.
        if recordsParents { lastSearch = search }
        return search
    }

    /// Remembers the result for the next patch. Called after all writes.
    ///
    /// - Parameter isValid: Whether the writes have added no paths.
    func remember(isValid: Bool) {
        guard let shared else { return }
        RememberedSearches.remember(isValid ? shared : nil, below: root, first, in: graph)
    }
}

/// The results of the traversals of the last few roots.
private enum RememberedSearches {
    private struct Entry {
        weak var first: AnyObject?
        let type: ObjectIdentifier
        let bits: [UInt8]
        let epoch: UInt64
        let shared: Set<Identity>

        func isOf<Root>(_ root: Root, _ first: AnyObject) -> Bool {
            // No test sees this always hold: a different root has the same bits only if its memory is used again.
            self.first === first
                && type == ObjectIdentifier(Root.self)
                && withUnsafeBytes(of: root) { bits.elementsEqual($0) }
        }
    }

    /// The maximum number of remembered roots.
    private static let capacity = 8

    private static let entries = Guarded<[Entry]>([])

    /// Whether the values of a type have bits. In optimized code, `withUnsafeBytes` of one without passes a wild buffer
    /// (Swift 6.3).
    // No test sees this boundary: code that is not optimized passes an empty buffer.
    private static func hasBits<Root>(_: Root.Type) -> Bool { MemoryLayout<Root>.size > 0 }

    // Entries are compared outside the lock: comparing weak references may release objects.

    static func shared<Root>(below root: Root, _ first: AnyObject?, in graph: GraphHandle) -> Set<Identity>? {
        // No test sees this always hold: code that is not optimized passes an empty buffer.
        guard let first, hasBits(Root.self) else { return nil }
        let epoch = graph.epoch
        return entries.withLock { $0 }.first { $0.epoch == epoch && $0.isOf(root, first) }?.shared
    }

    static func remember<Root>(
        _ shared: Set<Identity>?, below root: Root, _ first: AnyObject?, in graph: GraphHandle
    ) {
        // No test sees this always hold: code that is not optimized passes an empty buffer.
        guard let first, hasBits(Root.self) else { return }
        // A result that a different thread remembers at the same time may be lost, which costs a traversal.
        // No test sees this always hold: an older result is of an earlier epoch, and is not used.
        var remembered = entries.withLock { $0 }.filter { $0.first != nil && !$0.isOf(root, first) }
        if let shared {
            // No test sees this: it only bounds the memory.
            if remembered.count >= capacity { remembered.removeFirst() }
            let bits = withUnsafeBytes(of: root) { Array($0) }
            remembered.append(
                Entry(first: first, type: ObjectIdentifier(Root.self), bits: bits, epoch: graph.epoch, shared: shared))
        }
        _ = entries.exchange(for: remembered)
    }
}
