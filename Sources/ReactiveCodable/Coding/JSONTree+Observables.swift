// Trees of object graphs: their slots are observables.

import Reactive

/// The slot of an observable.
struct ObservableSlot: JSONSlot {
    let observable: any EncodableObservable
    /// The view of the past in which it was met, if any.
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

    /// The observable whose slot a node is, if it is one.
    func observable(at id: ID) -> (any EncodableObservable)? { (nodes[id].slot as? ObservableSlot)?.observable }
}
