// A document that can be changed in place, for as long as a patch is applied to it.
//
// A tree of nodes in one array, referred to by number, so that neither building nor freeing one recurses. It is read as
// far as paths go: a node starts as a plain JSON value, or as a slot that was not read yet (`unread`), and is opened
// when a path leads through it. So an operation costs what lies on its path.
//
// A *slot* is a node whose value an object holds, to be read when it is needed and written as a whole. Who makes the
// tree says what these objects are and how they are read. A tree that was encoded from values may besides be
// *annotated* with them:
//
//     above        what was encoded at this place outside of the slot's object, itself included:
//                  changes in the slot do not concern it
//     originals    what was encoded at this place inside of it: as good as before, unless the node is dirty
//     isDirty      something has changed in the node, not counting what lies in slots below it
//
// Arrays and objects that were opened are not opened into one node for each child: see JSONTree+Elements.swift and
// JSONTree+Members.swift.
//
// Invariants: a node that is dirty has a dirty parent, unless it is a slot; `pending` has every slot that is dirty.
// `parent` leads to the root, or to `JSONTree.detached` for what was taken out. A member that is a slot stays when it
// is removed, as `absent`, so that its object can be written later; to everybody else it is not there.

/// An object that holds the value of a node.
package protocol JSONSlot {
    /// The object, by which slots are told apart.
    var object: AnyObject { get }
}

/// A document as nodes that can be changed in place.
package final class JSONTree {
    package typealias ID = Int

    /// The parent of the root, and of nodes that were taken out.
    package static let detached = -1

    package struct Node {
        package enum Kind {
            /// Nothing was encoded yet: what stays so is an empty object, as `JSONEncoder` has it.
            case empty
            /// `json` says it all.
            case json
            case array
            case object
            /// The value of `slot`, to be read when needed.
            case unread
            /// A removed member that is a slot.
            case absent
        }

        package var kind = Kind.empty
        package var json = JSONValue.null
        /// The elements of an array, unless there are ``lazyElements``.
        package var elements: [ID] = []
        /// The elements of an array of which some have no node yet.
        package var lazyElements: LazyElements?
        /// The members of an object that have nodes.
        package var members: JSONMembers<ID> = [:]
        /// The members of an object that have no nodes yet.
        package var lazyMembers: LazyMembers?

        package var parent: ID
        /// The key under which an encoder met it.
        package var key: (any CodingKey)?

        package var slot: (any JSONSlot)?
        package var above: [Any] = []
        package var originals: [Any] = []
        /// Whether it was encoded from a dictionary, whose members come and go, unlike properties.
        package var isDictionary = false
        /// Whether it was encoded from a collection without an order, as an array.
        package var isUnordered = false
        package var isDirty = false
        /// The number of the last operation that changed the node itself.
        package var touchedBy: Int?
    }

    // Unchecked: what an access may call, a deinitialiser, does not know the tree. Checks took 4 % of encoding a graph.
    @exclusivity(unchecked) package var nodes: [Node] = []
    package let root: ID = 0
    /// Fills the node of a slot that was not read yet.
    private let read: (JSONTree, ID) throws -> Void
    /// Whether nodes remember what they were encoded from.
    package let isAnnotated: Bool
    /// The slots to be written, in the order in which they became dirty.
    package internal(set) var pending: [ID] = []
    /// The nodes in which a node, or its content, was before operations moved it.
    package internal(set) var formerParents: [ID: [ID]] = [:]
    /// What was `above`, of nodes that are no slots any more.
    package internal(set) var formerAbove: [ID: [Any]] = [:]
    /// The number of the operation that is being applied.
    var current: Int?

    /// How much the document may grow; `nil` for no limits.
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
    ///   - isAnnotated: Whether nodes remember what they are encoded from.
    ///   - read: Fills a node that is ``Node/Kind/empty`` with the value of its slot.
    package init(isAnnotated: Bool, read: @escaping (JSONTree, ID) throws -> Void) {
        self.read = read
        self.isAnnotated = isAnnotated
        nodes.append(Node(parent: JSONTree.detached))
    }

    // MARK: - Nodes

    /// A new node that belongs nowhere.
    package func makeNode(
        kind: Node.Kind = .empty, json: JSONValue = .null, parent: ID = detached, key: (any CodingKey)? = nil
    ) -> ID {
        nodes.append(Node(kind: kind, json: json, parent: parent, key: key))
        return nodes.count - 1
    }

    /// Makes sure that a node's children, or its scalar, are there.
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

    /// Where a node is now.
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

    /// The keys that lead from the root to a node, as encoders met them.
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

    /// The document as it is now, of a tree without annotations: which has nothing to read that could fail.
    var document: JSONValue {
        guard let document = try? snapshot(root) else {
            preconditionFailure("internal inconsistency: reading JSON failed")
        }
        return document
    }

    /// A node and what is below it as JSON.
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

            /// The next child that must be read, if there is one.
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
        // What is being read, to notice a graph that contains itself.
        var objects: Set<ObjectIdentifier> = []
        func push(
            _ id: ID, _ children: [Open.Child], isObject: Bool, members: [(key: String, value: JSONValue)] = []
        ) throws {
            let object = nodes[id].slot.map { ObjectIdentifier($0.object) }
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
            nodes[id].slot?.object as Any,
            EncodingError.Context(
                codingPath: codingPath(to: id),
                debugDescription: "The graph contains itself at \(pointer(to: id)): JSON cannot hold it."))
    }
}
