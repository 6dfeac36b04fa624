// The ids of an array's elements, and the nodes of the ids that are observed.
//
// Ids are not stored. The index maps the hash of an id to rows, and the elements of these rows have the ids. The first
// look-up of an id builds the index, and later changes keep it up to date.
//
// If several elements have the same id, look-ups find the first one in the array. The index lacks the others. So, as
// long as there are duplicates, each mutation of the array discards the index, and the next access rebuilds it.

import Reactive

/// The ids of an array's elements, with the type of the ids erased.
///
/// The type is known to closures without captures, which receive this object. Overridden methods of a generic class
/// would stay unspecialised.
@usableFromInline
@_fixed_layout
class ElementIDs<Element> {
    /// Returns the hash of an element's id.
    @usableFromInline final let hash: (Element) -> Int
    /// Whether two elements have the same id.
    @usableFromInline final let haveSameID: (Element, Element) -> Bool
    /// Returns the node of an element's id, if the id has observers.
    @usableFromInline final let nodeOfElement: (ElementIDs, Element) -> _StoredSource?
    /// Returns the element that now has the id of a node.
    @usableFromInline final let elementOfNode: (_StoredSource) -> Element?
    /// Notes that the id of a node has a different element than before.
    @usableFromInline final let changeOfNode: (_StoredSource, Element?) -> Void
    // Unchecked here and below: the graph's lock makes accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var hasReportedDuplicates = false
    /// The number of ids that have observers.
    @exclusivity(unchecked) @usableFromInline final var nodeCount = 0
    /// The nodes of the ids that the current mutation may affect, each with its previous element.
    @exclusivity(unchecked) @usableFromInline final var touched: [TouchedNode<Element>] = []
    /// The same nodes as a set, used once there are many.
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

    /// Returns a description of an element's id, for messages.
    @usableFromInline
    func describeID(of element: Element) -> String { preconditionFailure() }

    #if DEBUG
    /// A sentence for each broken invariant. Complexity: O(observed ids).
    var brokenInvariants: [String] { preconditionFailure() }
    #endif

    /// Whether a node is touched for the first time in a mutation.
    @inlinable
    final func isFirstTouch(of node: _StoredSource) -> Bool {
        // No test sees this: both searches find the same.
        if touched.count < 8 { return !touched.contains { $0.node === node } }
        // No test sees this: a node that is noted twice is compared twice, with the same outcome.
        if touchedNodes.isEmpty { touchedNodes = Set(touched.map { ObjectIdentifier($0.node) }) }
        return touchedNodes.insert(ObjectIdentifier(node)).inserted
    }
}

/// A node that a mutation may affect.
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

    /// - Parameter id: Returns the id of an element. Called untracked and with the graph locked.
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

    #if DEBUG
    override var brokenInvariants: [String] {
        nodes.brokenInvariants
            + (nodeCount == nodes.count ? [] : ["The nodes of ids are \(nodes.count), and count as \(nodeCount)."])
    }
    #endif

    /// Records a read of the element with an id. Under the lock; calls `==` of the ids.
    @inlinable
    func noteRead(of id: ID, hash: Int, in array: ObservableArray<Element>) {
        if let node = untracked({ nodes.find(id, hash: hash) }) { return node.noteRead() }
        let node = ElementNode(id, hash: hash, of: array, ids: self)
        nodes.insert(node)
        nodeCount += 1
        node.noteRead()
    }

    /// Removes a node that has lost its last edge.
    @usableFromInline
    func forget(_ node: ElementNode<Element, ID>) {
        nodes.remove(node)
        nodeCount -= 1
    }
}

/// The node of an id that has observers.
///
/// It keeps the array alive, so that an observer of the id does too. The array does not keep the node alive.
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

    /// The element that now has the id.
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

    #if DEBUG
    override var storingNode: _Node? { array }
    #endif
}
