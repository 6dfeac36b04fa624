// Which graph an object graph's state belongs to.
//
// Any `Encodable` may be a root: it has no graph, only observables somewhere below it. What finds them is encoding, so
// that is what looks for the first one, with an encoder that takes no value and ends as soon as it meets an observable.

import Reactive

extension GraphHandle {
    /// The graph that the state below `root` belongs to: that of the first observable that encoding `root` meets.
    ///
    /// Where this thread holds a graph, that one: nothing else can be used here. Where encoding meets no observable,
    /// because there is none or because an `encode(to:)` takes the values out of them itself, the current one.
    ///
    /// - Complexity: O(what encoding visits up to the first observable); most roots begin with one.
    init(ofStateIn root: some Encodable) {
        let current = GraphHandle.current
        guard GraphHandle.held == nil else {
            self = current
            return
        }
        let search = ObservableSearch()
        // Under the current graph's lock, as all encoding is: other state of the root may be guarded by it.
        current.withUntrackedLock {
            // An error is the end of the search, or what the encoding that follows will report.
            EncodersOfObservables.active { try? search.visit(root) }
        }
        self = search.found ?? current
    }
}

/// Looks for the first observable, or record of one, that an encoding meets.
private final class ObservableSearch: ObservableVisitor {
    private(set) var found: GraphHandle?
    private(set) var first: AnyObject?
    private let types = TypeTable<TypeInfo>()
    /// The objects that are being encoded, which may contain themselves.
    private var entered: Set<ObjectIdentifier> = []

    /// Ends the encoding.
    private struct End: Error {}

    override func end(with graph: GraphHandle?) throws {
        if found == nil { found = graph }
        throw End()
    }

    private func found(_ node: _Node?) throws {
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
            if found != nil { throw End() }
            let object = info.isObject ? ObjectIdentifier(unsafeBitCast(value, to: AnyObject.self)) : nil
            if let object, !entered.insert(object).inserted { return }
            guard !_ReactionPart.stackIsLow else { return try end(with: nil) }
            try value.encode(to: ObservableSearchEncoder(visitor: self))
        }
    }
}

/// The first observable that encoding `root` meets, if there is one. Under the lock.
///
/// - Complexity: O(what encoding visits up to there).
func firstObservable(in root: some Encodable) -> AnyObject? {
    let search = ObservableSearch()
    EncodersOfObservables.active { try? search.visit(root) }
    return search.first
}
