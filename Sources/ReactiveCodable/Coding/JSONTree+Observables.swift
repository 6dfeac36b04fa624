// Trees of object graphs, whose slots are observables.

import Reactive

/// The slot of an observable in a tree.
struct ObservableSlot: JSONSlot {
    let observable: any EncodableObservable
    /// The view of the past in which the observable was encoded, if any.
    let view: PastView?

    var object: AnyObject { observable }
}

extension JSONTree {
    /// Creates a tree of an object graph.
    convenience init(encoding value: some Encodable, strategies: CodingStrategies, isAnnotated: Bool) throws {
        self.init(isAnnotated: isAnnotated) { tree, id in
            try TreeEncoder(tree: tree, id: id, strategies: strategies).readSlot()
        }
        try EncodersOfObservables.active {
            try TreeEncoder(tree: self, id: root, strategies: strategies).encode(value)
        }
    }

    /// Returns the observable of a slot node.
    func observable(at id: ID) -> (any EncodableObservable)? { (nodes[id].slot as? ObservableSlot)?.observable }
}
