// A document that can be changed in place, for as long as a patch is applied to it.
//
// A tree of nodes in one array, referred to by number, so that neither building nor freeing one recurses. It is read as far as paths
// go: a node starts as a plain JSON value, or as an observable that was not asked yet (`unread`), and is opened when a path leads
// through it. So an operation costs what lies on its path.
//
// A tree made of an object graph is *annotated* (see `apply(_:to:)` for what that is good for):
//
//     observable   the `Observable` whose value the node is: the node is its *slot*
//     above        what was encoded at this place outside of that observable, itself included: changes in the slot do not concern it
//     originals    what was encoded at this place inside of it: as good as before, unless the node is dirty
//     isDirty      something has changed in the node, not counting what lies in slots below it
//
// Invariants: a node that is dirty has a dirty parent, unless it is a slot; `pending` has every slot that is dirty. `parent` leads to
// the root, or to `JSONTree.detached` for what was taken out. A member that belongs to an optional observable stays when it is removed,
// as `absent`, so that the observable can be written later; to everybody else it is not there.

import Reactive

final class JSONTree {
    typealias ID = Int

    /// The parent of the root, and of nodes that were taken out.
    static let detached = -1

    struct Node {
        enum Kind {
            /// Nothing was encoded yet: what stays so is an empty object, as `JSONEncoder` has it.
            case empty
            /// `json` says it all.
            case json
            case array
            case object
            /// The value of `observable`, to be read when needed.
            case unread
            /// A removed member, the slot of an observable.
            case absent
        }

        var kind = Kind.empty
        var json = JSONValue.null
        var elements: [ID] = []
        var members: [String: ID] = [:]

        var parent: ID
        /// The key under which an encoder met it.
        var key: (any CodingKey)?

        var observable: (any EncodableObservable)?
        var above: [Any] = []
        var originals: [Any] = []
        /// Whether it was encoded from a dictionary, whose members come and go, unlike properties.
        var isDictionary = false
        /// The view of the past in which an unread observable was met, if any.
        var view: PastView?
        var isDirty = false
        /// The number of the last operation that changed the node itself.
        var touchedBy: Int?
    }

    var nodes: [Node] = []
    let root: ID = 0
    /// The coders of the graph; `nil` for a tree of JSON alone.
    let strategies: CodingStrategies?
    /// Whether nodes remember what they were encoded from.
    let isAnnotated: Bool
    /// The slots to be written, in the order in which they became dirty.
    var pending: [ID] = []
    /// The number of the operation that is being applied.
    var current: Int?

    /// Creates a tree of a JSON document.
    init(_ document: JSONValue) {
        strategies = nil
        isAnnotated = false
        nodes.append(Node(kind: .json, json: document, parent: JSONTree.detached))
    }

    /// Creates a tree of an object graph.
    init(encoding value: some Encodable, strategies: CodingStrategies, isAnnotated: Bool) throws {
        self.strategies = strategies
        self.isAnnotated = isAnnotated
        nodes.append(Node(parent: JSONTree.detached))
        try EncodersOfObservables.active { try TreeEncoder(tree: self, id: root).encode(value) }
    }

    // MARK: - Nodes

    /// A new node that belongs nowhere.
    func makeNode(kind: Node.Kind = .empty, json: JSONValue = .null, parent: ID = detached, key: (any CodingKey)? = nil)
        -> ID
    {
        nodes.append(Node(kind: kind, json: json, parent: parent, key: key))
        return nodes.count - 1
    }

    /// Makes sure that a node's children, or its scalar, are there.
    func open(_ id: ID) throws {
        while nodes[id].kind == .unread, let observable = nodes[id].observable {
            nodes[id].kind = .empty
            try EncodersOfObservables.active {
                try PastView.$current.withValue(nodes[id].view) {
                    try TreeEncoder(tree: self, id: id).encodeValue(of: observable)
                }
            }
        }
        guard nodes[id].kind == .json else { return }
        switch nodes[id].json {
        case .array(let array):
            let children = array.map { makeNode(kind: .json, json: $0, parent: id) }
            nodes[id].elements = children
            nodes[id].kind = .array
        case .object(let object):
            let children = object.members.mapValues { makeNode(kind: .json, json: $0, parent: id) }
            nodes[id].members = children
            nodes[id].kind = .object
        default:
            return
        }
        nodes[id].json = .null
    }

    /// The node of a member, unless it is absent.
    func member(_ key: String, of id: ID) -> ID? {
        guard let child = nodes[id].members[key], nodes[child].kind != .absent else { return nil }
        return child
    }

    /// Whether a node is still part of the document.
    func isAttached(_ id: ID) -> Bool {
        var id = id
        while nodes[id].parent != JSONTree.detached { id = nodes[id].parent }
        return id == root
    }

    /// Where a node is now.
    func pointer(to id: ID) -> JSONPointer {
        var tokens: [String] = []
        var id = id
        while id != root, nodes[id].parent != JSONTree.detached {
            let parent = nodes[nodes[id].parent]
            tokens.append(
                parent.elements.firstIndex(of: id).map { String($0) }
                    ?? parent.members.first { $0.value == id }?.key ?? nodes[id].key?.stringValue ?? "?")
            id = nodes[id].parent
        }
        return JSONPointer(tokens: tokens.reversed())
    }

    // MARK: - The document

    /// The document as it is now, of a tree without annotations: which has nothing to read that could fail.
    var document: JSONValue {
        guard let document = try? snapshot(root) else {
            preconditionFailure("internal inconsistency: reading JSON failed")
        }
        return document
    }

    /// A node and what is below it as JSON.
    func snapshot(_ id: ID) throws -> JSONValue {
        /// A container whose children are being read.
        struct Open {
            let children: [(key: String, id: ID)]
            let isObject: Bool
            let observable: ObjectIdentifier?
            var elements: [JSONValue] = []
            var members: [String: JSONValue] = [:]
            var next = 0

            mutating func put(_ value: JSONValue) {
                if isObject { members[children[next].key] = value } else { elements.append(value) }
                next += 1
            }

            var value: JSONValue { isObject ? .object(JSONObject(members)) : .array(JSONArray(elements)) }
        }
        var stack: [Open] = []
        // What is being read, to notice a graph that contains itself.
        var observables: Set<ObjectIdentifier> = []
        func push(_ id: ID, _ children: [(key: String, id: ID)], isObject: Bool) throws {
            let observable = nodes[id].observable.map { ObjectIdentifier($0) }
            if let observable, !observables.insert(observable).inserted { throw cycleError(at: id) }
            stack.append(Open(children: children, isObject: isObject, observable: observable))
        }
        var id = id
        while true {
            if nodes[id].kind == .unread { try open(id) }
            var complete: JSONValue?
            switch nodes[id].kind {
            case .array: try push(id, nodes[id].elements.map { ("", $0) }, isObject: false)
            case .object:
                let members = nodes[id].members.filter { nodes[$0.value].kind != .absent }
                try push(id, members.map { ($0.key, $0.value) }, isObject: true)
            case .json: complete = nodes[id].json
            case .empty: complete = [:]
            case .absent, .unread: complete = .null
            }
            while true {
                guard let top = stack.indices.last else { return complete ?? .null }
                if let value = complete { stack[top].put(value) }
                guard stack[top].next == stack[top].children.count else {
                    id = stack[top].children[stack[top].next].id
                    break
                }
                let done = stack.removeLast()
                if let observable = done.observable { observables.remove(observable) }
                complete = done.value
            }
        }
    }

    private func cycleError(at id: ID) -> EncodingError {
        EncodingError.invalidValue(
            nodes[id].observable as Any,
            EncodingError.Context(
                codingPath: TreeEncoder(tree: self, id: id).codingPath,
                debugDescription: "The graph contains itself at \(pointer(to: id)): JSON cannot hold it."))
    }
}
