// Access to elements by their ids, and who reads single elements.
//
// The ids are not stored: the index leads from a hash to rows, and their elements know their ids. It is built when an
// id is looked up for the first time, and maintained from then on.
//
// Of elements with the same id, the first one in the array counts. As long as there are such, the index lacks the
// others; so a mutation of that array drops the index, and the next access builds it anew.

import Reactive

/// The ids of an array's elements, for code that does not know their type.
@usableFromInline
class ElementIDs<Element> {
    /// The hash of an element's id.
    @usableFromInline final let hash: (Element) -> Int
    /// Whether two elements have the same id.
    @usableFromInline final let haveSameID: (Element, Element) -> Bool
    // Unchecked: the graph's lock makes the accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var hasReportedDuplicates = false
    /// The nodes of the ids that the present mutation may concern, each with its element from before.
    @exclusivity(unchecked) final var touched: [TouchedNode<Element>] = []
    @exclusivity(unchecked) final var touchedNodes: Set<ObjectIdentifier> = []

    @inlinable
    init(hash: @escaping (Element) -> Int, haveSameID: @escaping (Element, Element) -> Bool) {
        self.hash = hash
        self.haveSameID = haveSameID
    }

    /// Whether an id has observers.
    var hasNodes: Bool { preconditionFailure() }
    /// The node of an element's id, if that has observers.
    func node(of element: Element) -> _StoredSource? { preconditionFailure() }
    /// Calls `body` with the nodes of all ids that have observers.
    func forEachNode(_ body: (_StoredSource) -> Void) { preconditionFailure() }
    /// The element that the id of a node leads to now.
    func element(of node: _StoredSource) -> Element? { preconditionFailure() }
    /// Notes that the id of a node leads to a different element than before.
    func noteChange(of node: _StoredSource, from old: Element?) { preconditionFailure() }
    /// An element's id, for messages.
    func describeID(of element: Element) -> String { preconditionFailure() }
}

/// A node that a mutation may concern.
struct TouchedNode<Element> {
    let node: _StoredSource
    let old: Element?
    var hasChanged = true
}

/// The ids of an array's elements.
@usableFromInline
final class TypedElementIDs<Element, ID: Hashable>: ElementIDs<Element> {
    @usableFromInline let id: (Element) -> ID
    @exclusivity(unchecked) fileprivate var nodes = KeyNodes<ID>()

    /// - Parameter id: Returns the id of an element. Called with the graph locked and untracked.
    @inlinable
    init(_ id: @escaping (Element) -> ID) {
        self.id = id
        super.init(hash: { id($0).hashValue }, haveSameID: { id($0) == id($1) })
    }

    override var hasNodes: Bool { !nodes.isEmpty }

    override func node(of element: Element) -> _StoredSource? {
        let id = id(element)
        return nodes.find(id, hash: id.hashValue)
    }

    override func forEachNode(_ body: (_StoredSource) -> Void) { nodes.forEach(body) }

    override func element(of node: _StoredSource) -> Element? {
        unsafeDowncast(node, to: ElementNode<Element, ID>.self).element
    }

    override func noteChange(of node: _StoredSource, from old: Element?) {
        unsafeDowncast(node, to: ElementNode<Element, ID>.self).change(from: old)
    }

    override func describeID(of element: Element) -> String { "\(id(element))" }

    /// Records a read of the element with an id. Under the lock; calls `==` of the ids.
    @usableFromInline
    func noteRead(of id: ID, hash: Int, in array: ObservableArray<Element>) {
        if let node = untracked({ nodes.find(id, hash: hash) }) { return node.noteRead() }
        let node = ElementNode(id, hash: hash, of: array, ids: self)
        nodes.insert(node)
        node.noteRead()
    }

    /// Forgets a node that has no edges any more.
    fileprivate func forget(_ node: ElementNode<Element, ID>) { nodes.remove(node) }
}

/// The node of an id that has observers.
///
/// It keeps the array alive, as the array itself would; the array does not keep it.
private final class ElementNode<Element, ID: Hashable>: KeyNode<ID> {
    private let array: ObservableArray<Element>
    private let ids: TypedElementIDs<Element, ID>

    init(_ id: ID, hash: Int, of array: ObservableArray<Element>, ids: TypedElementIDs<Element, ID>) {
        self.array = array
        self.ids = ids
        super.init(id, hash: hash, beside: array)
    }

    /// The element that the id leads to now.
    var element: Element? { array.row(of: key, hash: hash, in: ids).map { array.element(at: $0) } }

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
