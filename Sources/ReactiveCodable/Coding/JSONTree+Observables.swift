// Trees of object graphs, whose holders are observables.

import Reactive

/// The holder of an observable in a tree.
struct ObservableHolder: JSONHolder {
    let observable: any EncodableObservable
    /// The view of the past in which the observable was encoded, if any.
    let view: PastView?

    var object: AnyObject { observable }
}

extension JSONTree {
    /// Creates a tree of an object graph.
    convenience init(encoding value: some Encodable, strategies: CodingStrategies, isAnnotated: Bool) throws {
        self.init(isAnnotated: isAnnotated) { tree, id in
            try TreeEncoder(tree: tree, id: id, strategies: strategies).readHeldValue()
        }
        try EncodersOfObservables.active {
            try TreeEncoder(tree: self, id: root, strategies: strategies).encode(value)
        }
    }

    /// Returns the observable of a held node.
    func observable(at id: ID) -> (any EncodableObservable)? { (nodes[id].holder as? ObservableHolder)?.observable }

    /// The observables around the one of a held node whose values are encoded at the same node, from the outside in.
    func outerObservables(at id: ID) -> [any EncodableObservable] {
        (outerHolders[id] ?? []).compactMap { ($0.holder as? ObservableHolder)?.observable }
    }
}
