// Finds the graph of a root's state.
//
// Any `Encodable` may be a root: it has no graph itself, only observables somewhere below it. Only encoding finds them.
// So an encoder that stores no values searches for the first one, and stops when it meets an observable.

import Reactive

extension GraphHandle {
    /// Creates a handle of the graph of the state below `root`: the graph of the first observable that encoding `root`
    /// reaches.
    ///
    /// If this thread holds a graph, the result is that graph: nothing else can be used here. If encoding reaches no
    /// observable, because there is none or because an `encode(to:)` reads the values itself, the result is the current
    /// graph.
    ///
    /// - Complexity: O(what encoding visits up to the first observable); most roots begin with one.
    init(ofStateIn root: some Encodable) {
        let current = GraphHandle.current
        // No test sees this always hold: a search finds the held graph, too, as no other can be used.
        guard GraphHandle.held == nil else {
            self = current
            return
        }
        let search = ObservableSearch()
        // Under the current graph's lock, like all encoding: that lock may guard other state of the root.
        current.withUntrackedLock {
            // An error ends the search, or will be reported by the encoding that follows.
            EncodersOfObservables.active { try? search.visit(root) }
        }
        self = search.found ?? current
    }
}

/// Searches for the first observable, or record of one, that encoding reaches.
private final class ObservableSearch: ObservableVisitor {
    private(set) var found: GraphHandle?
    private(set) var first: AnyObject?
    private let types = TypeTable<TypeInfo>()
    /// The objects being encoded, which may contain themselves.
    private var entered: Set<ObjectIdentifier> = []

    /// Ends the encoding.
    private struct End: Error {}

    override func end(with graph: GraphHandle?) throws {
        // No test sees this always hold: the state of a root belongs to one graph.
        if found == nil { found = graph }
        throw End()
    }

    private func found(_ node: _Node?) throws {
        // No test sees this: a search that goes on after its end ends with the same observable each time, and without
        // an observable the paths are counted anew for each patch.
        if first == nil { first = node }
        try end(with: node.map { GraphHandle(of: $0) })
    }

    override func visit<Value: Encodable>(_ value: Value) throws {
        let info = types.info(of: Value.self)
        switch info.kind {
        case _ where info.isPlain: return
        case .observable:
            try found(value as? _Node)
        case .optionalProperty:
            try found((value as? any AnyOptionalProperty)?.anyObservable)
        default:
            // No test sees this never hold: it only saves a walk, if an `encode(to:)` catches the end.
            if found != nil { throw End() }
            let object = info.isObject ? ObjectIdentifier(unsafeBitCast(value, to: AnyObject.self)) : nil
            if let object, !entered.insert(object).inserted { return }
            guard !_ReactionPart.stackIsLow else { return try end(with: nil) }
            try value.encode(to: ObservableSearchEncoder(visitor: self))
        }
    }
}

/// Returns the first observable that encoding `root` reaches, if there is one. Under the lock.
///
/// - Complexity: O(what encoding visits up to the observable).
func firstObservable(in root: some Encodable) -> AnyObject? {
    let search = ObservableSearch()
    EncodersOfObservables.active { try? search.visit(root) }
    return search.first
}
