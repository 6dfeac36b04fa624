// The observables and objects of a graph to which several paths lead, without a search for each patch.
//
// There are two sources:
//
//     a deep observation of the same root    its links give the number of paths to an observable
//     a walk through the graph               finds all that is shared, usually nothing; valid until something is written
//
// What a walk found stays valid over the writes of `apply` itself, since decoding creates new objects, and moving or
// removing elements adds no paths. So a series of patches takes one walk, of O(graph). (A type whose `init(from:)`
// hands out objects that the graph has already would be noticed by the next walk.)

import Reactive

/// The things below a root to which several paths lead. Under the lock, for the length of a call.
final class SharedIdentities<Root: Encodable> {
    private let root: Root
    private let graph: GraphHandle
    private let info: [CodingUserInfoKey: Any]
    private let observed: (any PathMap)?
    private var shared: Set<Identity>?
    private var walked: SharingWalk?
    /// The first observable below the root, by which the walk is remembered.
    private lazy var first = firstObservable(in: root)

    /// Finds out what is known.
    ///
    /// - Parameters:
    ///   - root: The root of the graph.
    ///   - observable: An observable below the root.
    ///   - graph: The graph that the root's state belongs to.
    ///   - info: The user info for `encode(to:)`.
    init(below root: Root, from observable: _Node, in graph: GraphHandle, info: [CodingUserInfoKey: Any]) {
        self.root = root
        self.graph = graph
        self.info = info
        let isWithinReach = observable.obstacle == nil
        observed =
            isWithinReach ? observable.firstObservingPart { ($0 as? any PartOfPathMap)?.pathMap(below: root) } : nil
    }

    /// Whether several paths lead to an observable.
    ///
    /// - Parameters:
    ///   - thing: The observable.
    ///   - path: All objects on the path to it, itself included.
    func isShared(_ thing: Identity, on path: () -> [Identity]) -> Bool {
        if let isAlone = observed?.hasOnePath(thing) { return !isAlone }
        let shared =
            shared ?? RememberedWalks.shared(below: root, first, in: graph) ?? walk(recordsParents: false).shared
        self.shared = shared
        return !shared.isEmpty && path().contains(where: shared.contains)
    }

    /// The map by which the paths to a thing are counted.
    func map(with thing: Identity) -> any PathMap {
        if let observed, observed.parents(of: thing) != nil { return observed }
        return walk(recordsParents: true)
    }

    private func walk(recordsParents: Bool) -> SharingWalk {
        if let walked { return walked }
        let walk = SharingWalk(from: root, recordsParents: recordsParents, info: info)
        if recordsParents { walked = walk }
        return walk
    }

    /// Remembers what was found for the next patch. After all has been written.
    ///
    /// - Parameter isValid: Whether the writes have added no paths.
    func remember(isValid: Bool) {
        guard let shared else { return }
        RememberedWalks.remember(isValid ? shared : nil, below: root, first, in: graph)
    }
}

/// What walks through the last few roots have found.
private enum RememberedWalks {
    private struct Entry {
        weak var first: AnyObject?
        let type: ObjectIdentifier
        let bits: [UInt8]
        let epoch: UInt64
        let shared: Set<Identity>

        func isOf<Root>(_ root: Root, _ first: AnyObject) -> Bool {
            self.first === first && type == ObjectIdentifier(Root.self)
                && withUnsafeBytes(of: root) { bits.elementsEqual($0) }
        }
    }

    /// How many roots are remembered.
    private static let capacity = 8

    private static let entries = Guarded<[Entry]>([])

    // Entries are looked at outside of the lock: comparing weak references may release what they refer to.

    static func shared<Root>(below root: Root, _ first: AnyObject?, in graph: GraphHandle) -> Set<Identity>? {
        guard let first else { return nil }
        let epoch = graph.epoch
        return entries.withLock { $0 }.first { $0.epoch == epoch && $0.isOf(root, first) }?.shared
    }

    static func remember<Root>(
        _ shared: Set<Identity>?, below root: Root, _ first: AnyObject?, in graph: GraphHandle
    ) {
        guard let first else { return }
        // What another thread remembers meanwhile may be lost, which costs a walk.
        var remembered = entries.withLock { $0 }.filter { $0.first != nil && !$0.isOf(root, first) }
        if let shared {
            if remembered.count >= capacity { remembered.removeFirst() }
            let bits = withUnsafeBytes(of: root) { Array($0) }
            remembered.append(
                Entry(first: first, type: ObjectIdentifier(Root.self), bits: bits, epoch: graph.epoch, shared: shared))
        }
        _ = entries.exchange(for: remembered)
    }
}
