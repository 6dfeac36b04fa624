// A JSON document as a tree of mutable nodes, while a patch is applied to it.
//
// All nodes are in one array and refer to each other by number, so that neither creating nor releasing a tree recurses.
// The tree is read only along the paths of the patch. A node starts as a plain JSON value, or as a held node that has
// not been read (`unread`). It is opened when a path leads through it. So the cost of an operation depends on its path.
//
// A *held node* is a node whose value an object, its `holder`, holds. The value is read when it is needed, and written
// as a whole. The creator of the tree defines these objects and how they are read. A tree that was encoded from values
// may also be *annotated* with them:
//
//     above        the values encoded at this node outside the holder's object, including the object itself:
//                  changes in the held node do not affect them
//     originals    the values encoded at this node inside the object: still valid, unless the node is dirty
//     isDirty      whether the node has changed, not counting held nodes below it
//
// Opening an array or an object does not create a node for each child: see JSONTree+Elements.swift and
// JSONTree+Members.swift.
//
// Invariants: a dirty node has a dirty parent, unless it is a held node; `pending` contains all dirty held nodes. The
// chain of parents ends at the root, or at `JSONTree.detached` for removed nodes. A removed member with a holder
// remains in the tree as `absent`, so that its object can be written later; all other code treats it as missing.

/// An object that holds the value of a node.
package protocol JSONHolder {
    /// The object. It identifies the holder.
    var object: AnyObject { get }
}

/// A document as mutable nodes.
package final class JSONTree {
    /// A holder whose value is encoded at the node of a different holder, such as an observable of an observable.
    package struct OuterHolder {
        package let holder: any JSONHolder
        /// The number of values of `above` up to the holder's object.
        let aboveCount: Int
    }

    package typealias ID = Int

    /// The parent of the root and of removed nodes.
    package static let detached = -1

    package struct Node {
        package enum Kind {
            /// Nothing was encoded yet. A node that remains empty is an empty object, as for `JSONEncoder`.
            case empty
            /// The value is `json`.
            case json
            case array
            case object
            /// The value of `holder`, which has not been read.
            case unread
            /// A removed member with a holder.
            case absent
        }

        package var kind = Kind.empty
        package var json = JSONValue.null
        /// The elements of an array, unless there are ``lazyElements``.
        package var elements: [ID] = []
        /// The elements of an array if some of them have no nodes yet.
        package var lazyElements: LazyElements?
        /// The members of an object that have nodes.
        package var members: JSONMembers<ID> = [:]
        /// The members of an object that have no nodes yet.
        package var lazyMembers: LazyMembers?

        package var parent: ID
        /// The key under which an encoder encoded the node.
        package var key: (any CodingKey)?

        package var holder: (any JSONHolder)?
        package var above: [Any] = []
        package var originals: [Any] = []
        /// Whether the node was encoded from a dictionary, whose members can be added and removed, unlike properties.
        package var isDictionary = false
        /// Whether the node was encoded as an array from a collection without an order.
        package var isUnordered = false
        package var isDirty = false
        /// The number of the last operation that changed the node itself.
        package var touchedBy: Int?
    }

    // Unchecked: a deinitializer is the only code that an access may call, and it does not know the tree. Checks took 4
    // % of the time to encode a graph.
    @exclusivity(unchecked) package var nodes: [Node] = []
    package let root: ID = 0
    /// Fills a held node that has not been read.
    private let read: (JSONTree, ID) throws -> Void
    /// Whether nodes keep the values that they were encoded from.
    package let isAnnotated: Bool
    /// The held nodes to write, in the order in which they became dirty.
    package internal(set) var pending: [ID] = []
    /// The earlier parents of nodes, or of their contents, before operations moved them.
    package internal(set) var formerParents: [ID: [ID]] = [:]
    /// The former values of `above` for nodes that their holders no longer hold.
    package internal(set) var formerAbove: [ID: [Any]] = [:]
    /// The objects around the holder of a node whose values are encoded at the same node, from the outside in.
    package internal(set) var outerHolders: [ID: [OuterHolder]] = [:]
    /// The number of the operation in progress.
    var current: Int?

    /// The budget for the growth of the document; `nil` for no limits.
    package var budget: JSONBudget?

    /// Creates a tree of a JSON document that may grow up to the given limits.
    package init(_ document: JSONValue, limits: JSONLimits = .unlimited) {
        read = { _, _ in }
        isAnnotated = false
        budget = JSONBudget(limits: limits, valueCount: document.valueCount, byteCount: document.byteCount)
        nodes.append(Node(kind: .json, json: document, parent: JSONTree.detached))
    }

    /// Creates a tree with an empty root, for an encoder to fill.
    ///
    /// - Parameters:
    ///   - isAnnotated: Whether nodes keep the values that they are encoded from.
    ///   - read: Fills a node that is ``Node/Kind/empty`` with the value of its holder.
    package init(isAnnotated: Bool, read: @escaping (JSONTree, ID) throws -> Void) {
        self.read = read
        self.isAnnotated = isAnnotated
        nodes.append(Node(parent: JSONTree.detached))
    }

    // MARK: - Nodes

    /// Makes a node the held node of an object. Values that were encoded at this node before are outside the object.
    package func hold(_ id: ID, by holder: any JSONHolder, _ object: Any) {
        if let outer = nodes[id].holder {
            outerHolders[id, default: []].append(OuterHolder(holder: outer, aboveCount: nodes[id].above.count))
        }
        nodes[id].above += nodes[id].originals
        nodes[id].above.append(object)
        nodes[id].originals = []
        nodes[id].holder = holder
        nodes[id].kind = .unread
    }

    /// Creates a node without a parent.
    package func makeNode(
        kind: Node.Kind = .empty, json: JSONValue = .null, parent: ID = detached, key: (any CodingKey)? = nil
    ) -> ID {
        nodes.append(Node(kind: kind, json: json, parent: parent, key: key))
        return nodes.count - 1
    }

    /// Reads the children or the scalar of a node, unless they have been read.
    package func open(_ id: ID) throws {
        while nodes[id].kind == .unread {
            nodes[id].kind = .empty
            try read(self, id)
        }
        guard nodes[id].kind == .json else { return }
        switch nodes[id].json {
        case .array(let array):
            nodes[id].lazyElements = LazyElements(JSONArrayElements(array: array))
            nodes[id].isUnordered = array.isUnordered
            nodes[id].kind = .array
        case .object(let object):
            nodes[id].lazyMembers = LazyMembers(JSONObjectMembers(object: object))
            nodes[id].kind = .object
        default:
            return
        }
        nodes[id].json = .null
    }

    /// Whether a node is still part of the document.
    package func isAttached(_ id: ID) -> Bool {
        var id = id
        while nodes[id].parent != JSONTree.detached { id = nodes[id].parent }
        return id == root
    }

    /// Returns the present pointer to a node.
    package func pointer(to id: ID) -> JSONPointer {
        var tokens: [String] = []
        var id = id
        while id != root, nodes[id].parent != JSONTree.detached {
            let parent = nodes[nodes[id].parent]
            tokens.append(
                (parent.lazyElements?.firstIndex(of: id) ?? parent.elements.firstIndex(of: id)).map { String($0) }
                    ?? parent.members.first { $0.value == id }?.key ?? nodes[id].key?.stringValue ?? "?")
            id = nodes[id].parent
        }
        return JSONPointer(tokens: tokens.reversed())
    }

    /// Returns the keys that lead from the root to a node, as encoders used them.
    package func codingPath(to id: ID) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var id = id
        while id != JSONTree.detached {
            if let key = nodes[id].key { path.append(key) }
            id = nodes[id].parent
        }
        return path.reversed()
    }

    // MARK: - The document

    /// The present document of a tree without annotations. Such a tree reads nothing that could fail.
    var document: JSONValue {
        guard let document = try? snapshot(root) else {
            preconditionFailure("internal inconsistency: reading JSON failed")
        }
        return document
    }

    /// Returns a node and everything below it as JSON.
    package func snapshot(_ id: ID) throws -> JSONValue {
        /// A container whose children are being read.
        struct Open {
            enum Child {
                case element(ID)
                case elements(ArraySlice<JSONValue>)
                case member(String, ID)
            }
            let children: [Child]
            let isObject: Bool
            let isUnordered: Bool
            let object: ObjectIdentifier?
            var elements: [JSONValue] = []
            var members: [(key: String, value: JSONValue)] = []
            var next = 0

            mutating func put(_ value: JSONValue) {
                if case .member(let key, _) = children[next] {
                    members.append((key, value))
                } else {
                    elements.append(value)
                }
                next += 1
            }

            /// Returns the next child that must be read, if there is one.
            mutating func nextNode() -> ID? {
                while next < children.count {
                    switch children[next] {
                    case .element(let id), .member(_, let id): return id
                    case .elements(let values): elements += values
                    }
                    next += 1
                }
                return nil
            }

            var value: JSONValue {
                if isObject { return .object(JSONObject(members)) }
                return .array(isUnordered ? JSONArray(unordered: elements) : JSONArray(elements))
            }
        }
        var stack: [Open] = []
        // The objects being read, to detect a graph that contains itself.
        var objects: Set<ObjectIdentifier> = []
        func push(
            _ id: ID, _ children: [Open.Child], isObject: Bool, members: [(key: String, value: JSONValue)] = []
        ) throws {
            let object = nodes[id].holder.map { ObjectIdentifier($0.object) }
            if let object, !objects.insert(object).inserted { throw cycleError(at: id) }
            stack.append(
                Open(
                    children: children, isObject: isObject, isUnordered: nodes[id].isUnordered, object: object,
                    members: members))
        }
        func pushArray(_ id: ID) throws {
            if let lazy = nodes[id].lazyElements, let array = lazy.source as? JSONArrayElements {
                let children = lazy.segments.map { segment -> Open.Child in
                    switch segment {
                    case .untouched(let range): .elements(array.array.elements[range])
                    case .node(let id): .element(id)
                    }
                }
                try push(id, children, isObject: false)
            } else {
                try push(id, openElements(of: id).map { .element($0) }, isObject: false)
            }
        }
        func pushObject(_ id: ID) throws {
            var untouched: [(key: String, value: JSONValue)] = []
            if let lazy = nodes[id].lazyMembers, let object = lazy.source as? JSONObjectMembers {
                untouched = object.object.filter { !lazy.touched.contains(JSONKey($0.key)) }
            } else {
                try openMembers(of: id)
            }
            let members = nodes[id].members.filter { nodes[$0.value].kind != .absent }
            try push(id, members.map { .member($0.key, $0.value) }, isObject: true, members: untouched)
        }
        var id = id
        while true {
            if nodes[id].kind == .unread { try open(id) }
            var complete: JSONValue?
            switch nodes[id].kind {
            case .array: try pushArray(id)
            case .object: try pushObject(id)
            case .json: complete = nodes[id].json
            case .empty: complete = [:]
            case .absent, .unread: complete = .null
            }
            while true {
                guard let top = stack.indices.last else { return complete ?? .null }
                if let value = complete { stack[top].put(value) }
                if let next = stack[top].nextNode() {
                    id = next
                    break
                }
                let done = stack.removeLast()
                if let object = done.object { objects.remove(object) }
                complete = done.value
            }
        }
    }

    private func cycleError(at id: ID) -> EncodingError {
        EncodingError.invalidValue(
            nodes[id].holder?.object as Any,
            EncodingError.Context(
                codingPath: codingPath(to: id),
                debugDescription: "The object at \(pointer(to: id)) contains itself. JSON cannot represent cycles."))
    }
}
