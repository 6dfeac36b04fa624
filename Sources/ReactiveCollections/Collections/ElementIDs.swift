// Access to elements by their ids, and who reads single elements.
//
// The ids are not stored: the index leads from a hash to rows, and their elements know their ids. It is built when an
// id is looked up for the first time, and maintained from then on.
//
// Of elements with the same id, the first one in the array counts. As long as there are such, the index lacks the
// others; so a mutation of that array drops the index, and the next access builds it anew.

import Reactive

/// The ids of an array's elements, for code that does not know their type.
///
/// What knows the type are closures without captures, since calls through overridden methods of generic classes stay
/// unspecialised. They get this object.
@usableFromInline
@_fixed_layout
class ElementIDs<Element> {
    /// The hash of an element's id.
    @usableFromInline final let hash: (Element) -> Int
    /// Whether two elements have the same id.
    @usableFromInline final let haveSameID: (Element, Element) -> Bool
    /// The node of an element's id, if that has observers.
    @usableFromInline final let nodeOfElement: (ElementIDs, Element) -> _StoredSource?
    /// The element that the id of a node leads to now.
    @usableFromInline final let elementOfNode: (_StoredSource) -> Element?
    /// Notes that the id of a node leads to a different element than before.
    @usableFromInline final let changeOfNode: (_StoredSource, Element?) -> Void
    // Unchecked here and below: the graph's lock makes the accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var hasReportedDuplicates = false
    /// The number of ids that have observers.
    @exclusivity(unchecked) @usableFromInline final var nodeCount = 0
    /// The nodes of the ids that the present mutation may concern, each with its element from before.
    @exclusivity(unchecked) @usableFromInline final var touched: [TouchedNode<Element>] = []
    /// The same nodes, once they are many.
    @exclusivity(unchecked) @usableFromInline final var touchedNodes: Set<ObjectIdentifier> = []

    @inlinable
    init(
        hash: @escaping (Element) -> Int, haveSameID: @escaping (Element, Element) -> Bool,
        nodeOfElement: @escaping (ElementIDs, Element) -> _StoredSource?,
        elementOfNode: @escaping (_StoredSource) -> Element?, changeOfNode: @escaping (_StoredSource, Element?) -> Void
    ) {
        self.hash = hash
        self.haveSameID = haveSameID
        self.nodeOfElement = nodeOfElement
        self.elementOfNode = elementOfNode
        self.changeOfNode = changeOfNode
    }

    /// Whether an id has observers.
    @inlinable @inline(__always)
    final var hasNodes: Bool { nodeCount > 0 }

    /// Calls `body` with the nodes of all ids that have observers.
    @usableFromInline
    func forEachNode(_ body: (_StoredSource) -> Void) { preconditionFailure() }

    /// An element's id, for messages.
    @usableFromInline
    func describeID(of element: Element) -> String { preconditionFailure() }

    /// Whether a node is touched for the first time in a mutation.
    @inlinable
    final func isFirstTouch(of node: _StoredSource) -> Bool {
        if touched.count < 8 { return !touched.contains { $0.node === node } }
        if touchedNodes.isEmpty { touchedNodes = Set(touched.map { ObjectIdentifier($0.node) }) }
        return touchedNodes.insert(ObjectIdentifier(node)).inserted
    }
}

/// A node that a mutation may concern.
@frozen @usableFromInline
struct TouchedNode<Element> {
    @usableFromInline let node: _StoredSource
    @usableFromInline let old: Element?
    @usableFromInline var hasChanged = true

    @inlinable
    init(node: _StoredSource, old: Element?) {
        self.node = node
        self.old = old
    }
}

/// The ids of an array's elements.
@usableFromInline
@_fixed_layout
final class TypedElementIDs<Element, ID: Hashable>: ElementIDs<Element> {
    @usableFromInline let id: (Element) -> ID
    @exclusivity(unchecked) @usableFromInline var nodes = KeyNodes<ID>()

    /// - Parameter id: Returns the id of an element. Called with the graph locked and untracked.
    @inlinable
    init(_ id: @escaping (Element) -> ID) {
        self.id = id
        super.init(
            hash: { id($0).hashValue }, haveSameID: { id($0) == id($1) },
            nodeOfElement: {
                let ids = unsafeDowncast($0, to: TypedElementIDs<Element, ID>.self)
                let id = ids.id($1)
                return ids.nodes.find(id, hash: id.hashValue)
            },
            elementOfNode: { unsafeDowncast($0, to: ElementNode<Element, ID>.self).element },
            changeOfNode: { unsafeDowncast($0, to: ElementNode<Element, ID>.self).change(from: $1) })
    }

    @usableFromInline
    override func forEachNode(_ body: (_StoredSource) -> Void) { nodes.forEach(body) }

    @usableFromInline
    override func describeID(of element: Element) -> String { "\(id(element))" }

    /// Records a read of the element with an id. Under the lock; calls `==` of the ids.
    @inlinable
    func noteRead(of id: ID, hash: Int, in array: ObservableArray<Element>) {
        if let node = untracked({ nodes.find(id, hash: hash) }) { return node.noteRead() }
        let node = ElementNode(id, hash: hash, of: array, ids: self)
        nodes.insert(node)
        nodeCount += 1
        node.noteRead()
    }

    /// Forgets a node that has no edges any more.
    @usableFromInline
    func forget(_ node: ElementNode<Element, ID>) {
        nodes.remove(node)
        nodeCount -= 1
    }
}

/// The node of an id that has observers.
///
/// It keeps the array alive, as the array itself would; the array does not keep it.
@usableFromInline
final class ElementNode<Element, ID: Hashable>: KeyNode<ID> {
    @usableFromInline let array: ObservableArray<Element>
    @usableFromInline let ids: TypedElementIDs<Element, ID>

    @usableFromInline
    init(_ id: ID, hash: Int, of array: ObservableArray<Element>, ids: TypedElementIDs<Element, ID>) {
        self.array = array
        self.ids = ids
        super.init(id, hash: hash, beside: array)
    }

    /// The element that the id leads to now.
    @inlinable
    var element: Element? { array.row(of: key, hash: hash, in: ids).map { array.element(at: $0) } }

    @inlinable
    func change(from old: Element?) {
        if needsLogEntry() { log(old) }
        noteChange()
    }

    override func equalsState(logged state: UnsafeMutableRawPointer) -> Bool {
        array.areSame(state.assumingMemoryBound(to: Element?.self).pointee, element)
    }

    override func discardState(logged state: UnsafeMutableRawPointer) {
        release(later: state.assumingMemoryBound(to: Element?.self).move())
    }

    override func lastEdgeWasRemoved() { ids.forget(self) }
}
