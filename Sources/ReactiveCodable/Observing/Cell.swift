// What a deep observation knows of one observable, or of one value that must be walked by itself.
//
//     Cell                       a part of the reaction, with its links
//     ├─ ObservableCell<O>       an observable
//     └─ ValueCell<Value>        the root; a value whose `encode(to:)` reads observables itself;
//                                the rest of a value too deep for the stack
//
// A cell's *region* is what its own value encodes, up to the next cells: its children. Links lead from a cell to its
// parents. One of them is the *primary* one: following primary links from any cell leads to the root. So the primary
// links form a tree that spans the graph, whatever cycles the graph has, and a cell that loses another link than its
// primary one is still reachable for sure.
//
// A link is valid as long as its parent has not been walked again: each walk has a number, and the link carries that of
// the walk that made it. So a walk makes all links of the last one invalid in no time.

import Reactive

/// A part of a deep observation. Guarded by the graph's lock.
///
/// Exclusivity is unchecked, here and in subclasses: the lock keeps other threads out, and no access to a property lasts
/// while a user's `encode(to:)` runs. The deinitialiser of a replaced value may write state, but that only marks the
/// cell: it is walked afterwards.
class Cell: _ReactionPart {
    unowned(unsafe) final let owner: DeepObserver
    /// The link that leads towards the root. `nil` for the root, and once the cell has ended.
    @exclusivity(unchecked) final var primary: Link?
    /// Further links, from shared cells; invalid ones among them.
    @exclusivity(unchecked) final var others: [Link] = []
    /// The cells that the last walk met.
    @exclusivity(unchecked) final var children: ContiguousArray<Cell> = []
    /// The number of the last walk.
    @exclusivity(unchecked) final var walk: UInt32 = 0
    /// Lost its primary link and is not known to be reachable by another one.
    @exclusivity(unchecked) final var isSuspect = false
    /// Is an observable whose values need no walk.
    final let isPlain: Bool
    /// Must be walked with a record of what it encodes, because values alone do not tell what that was; see
    /// Transcript.swift.
    @exclusivity(unchecked) final var needsTranscript = false
    /// What the last walk encoded, if it is needed.
    @exclusivity(unchecked) final var transcript: Transcript?

    /// Creates the cell of an observable. The type of the cell says which type of observable.
    required init(_ observable: AnyObject, isPlain: Bool, in observer: DeepObserver) {
        owner = observer
        self.isPlain = isPlain
        super.init(of: observer.reaction)
    }

    /// Creates the cell of something that is no observable.
    init(in observer: DeepObserver) {
        owner = observer
        isPlain = false
        super.init(of: observer.reaction)
    }

    /// Where the object that the cell stands for lies; the cell itself, if it stands for none.
    var identity: Identity { Identity(self) }

    /// Brings itself up to date without a walk. Returns false if it must be walked.
    func skipWalk() -> Bool { false }

    /// Encodes its value.
    func encode(into walk: Walk) {}

    /// What it encoded last, to be kept.
    var saved: SavedValue? { transcript }

    /// Adds a link to a parent that is being walked.
    final func link(to parent: Cell, at position: Position) {
        let link = Link(parent: parent, position: position, walk: parent.walk)
        parent.children.append(self)
        guard let primary else {
            self.primary = link
            return
        }
        if primary.parent === parent, !primary.isValid {
            self.primary = link
        } else {
            if others.count == others.capacity { others.removeAll { !$0.isValid } }
            others.append(link)
        }
    }

    /// Makes another link the primary one, which stays as another one if it is valid.
    final func makePrimary(other index: Int) {
        let link = others[index]
        if let primary, primary.isValid {
            others[index] = primary
        } else {
            others.remove(at: index)
        }
        primary = link
    }

    /// The valid links, the primary one first.
    final var links: [Link] {
        ((primary.map { [$0] } ?? []) + others).filter(\.isValid)
    }

    /// Makes the cell forget its neighbours and end.
    final func leave() {
        walk &+= 1
        primary = nil
        others = []
        children = []
        end()
    }
}

/// Leads from a cell to a parent.
struct Link {
    let parent: Cell
    let position: Position
    let walk: UInt32

    var isValid: Bool { parent.walk == walk }
}

/// The cell of an observable.
final class ObservableCell<O: EncodableObservable>: Cell {
    private let observable: O
    /// The value at the last walk, if old values are asked for.
    @exclusivity(unchecked) private var last: O.Value?

    required init(_ observable: AnyObject, isPlain: Bool, in observer: DeepObserver) {
        self.observable = unsafeDowncast(observable, to: O.self)
        super.init(observable, isPlain: isPlain, in: observer)
    }

    override var identity: Identity { Identity(observable) }

    override func skipWalk() -> Bool {
        guard isPlain else { return false }
        if walk == 0 {
            walk = 1
            evaluate { keep(observable.value) }
        } else {
            skipEvaluation()
            if owner.keepsValues { keep(untracked { observable.value }) }
        }
        return true
    }

    override func encode(into walk: Walk) {
        let value = observable.value
        keep(value)
        walk.encodeTop(value)
    }

    private func keep(_ value: O.Value) {
        if owner.keepsValues { last = value }
    }

    override var saved: SavedValue? { super.saved ?? last.map { TypedValue($0) } }
}

extension EncodableObservable {
    /// The type of the cells of such observables.
    static var cellType: Cell.Type { ObservableCell<Self>.self }
}

/// The cell of a value that is no observable.
final class ValueCell<Value: Encodable>: Cell {
    private let value: Value
    private let object: Identity?

    init(_ value: Value, object: Identity?, in observer: DeepObserver) {
        self.value = value
        self.object = object
        super.init(in: observer)
    }

    required init(_ observable: AnyObject, isPlain: Bool, in observer: DeepObserver) {
        preconditionFailure("internal inconsistency: an observable gets an ObservableCell, not a ValueCell")
    }

    /// How to make the cell of a root.
    static func maker(for root: Value) -> (DeepObserver) -> Cell {
        { ValueCell(root, object: nil, in: $0) }
    }

    /// How to make the cell of a root that may be the owner of the reaction, which it does not keep alive.
    static func maker(for root: Value, of owner: AnyObject) -> (DeepObserver) -> Cell {
        guard Value.self is AnyObject.Type, root as AnyObject === owner else { return maker(for: root) }
        let owner = WeakOwner(owner)
        return { OwnerCell<Value>(owner, in: $0) }
    }

    override var identity: Identity { object ?? super.identity }

    override func encode(into walk: Walk) { walk.encodeTop(value) }

    override var saved: SavedValue? { super.saved ?? TypedValue(value) }
}

/// The cell of a root that is the owner of the reaction. Once that is gone, nothing is encoded: the reaction is about
/// to end.
final class OwnerCell<Value: Encodable>: Cell {
    private let root: WeakOwner<AnyObject>

    init(_ root: WeakOwner<AnyObject>, in observer: DeepObserver) {
        self.root = root
        super.init(in: observer)
    }

    required init(_ observable: AnyObject, isPlain: Bool, in observer: DeepObserver) {
        preconditionFailure("internal inconsistency: an observable gets an ObservableCell, not an OwnerCell")
    }

    override func encode(into walk: Walk) {
        if let root = root.strong() as? Value { walk.encodeTop(root) }
    }
}
