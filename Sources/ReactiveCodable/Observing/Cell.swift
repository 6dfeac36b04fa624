// What a deep observation knows of one observable, or of one value that must be walked by itself.
//
//     Cell                       a part of the reaction, with its links
//     ├─ ObservableCell<O>       an observable
//     └─ ValueCell<Value>        the root; a value whose `encode(to:)` reads observables itself;
//                                the rest of a value too deep for the stack
//
// What a cell's value encodes, up to the next cells, is its *region* (Region.swift). Links lead from a cell to the
// regions that contain it. One of them is the *primary* one: following primary links from any cell leads to the root.
// So the primary links form a tree that spans the graph, whatever cycles the graph has, and a cell that loses another
// link than its primary one is still reachable for sure.

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
    /// What the last walk led to; `nil` if that is nothing.
    @exclusivity(unchecked) final var region: Region?
    /// Lost its primary link and is not known to be reachable by another one.
    @exclusivity(unchecked) final var isSuspect = false
    /// Is an observable whose values need no walk.
    final let isPlain: Bool
    /// Has been evaluated, so that it need not be again if it is plain.
    @exclusivity(unchecked) final var isEvaluated = false
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

    /// Whether it is the cell of this root, and not of an equal one.
    func stands<Root: Encodable>(for root: Root) -> Bool { false }

    /// What it encoded last, to be kept.
    var saved: SavedValue? { transcript }

    /// The value at the last walk, if it stands for an observable and old values are asked for.
    var state: SavedState? { nil }

    /// The regions of the elements, if the value is an array that was walked by elements.
    final var elements: ElementsRegion? { region as? ElementsRegion }

    /// Adds a link to a region that is being walked.
    final func link(to region: Region, at position: Position) {
        let link = Link(region: region, position: position)
        guard let primary else {
            self.primary = link
            return
        }
        if primary.region.cell === region.cell, !primary.isValid {
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
    final func depart() {
        region?.invalidate()
        region = nil
        primary = nil
        others = []
        end()
    }
}

/// Leads from a cell to a region that contains it.
struct Link {
    let region: Region
    let position: Position

    var isValid: Bool { region.isValid }
}

/// The cell of an observable.
final class ObservableCell<O: EncodableObservable>: Cell {
    private let observable: O
    /// The value at the last walk, if old values are asked for, or if it is an array or a dictionary whose elements are
    /// walked one by one: what has changed in it is found by comparison.
    @exclusivity(unchecked) private var last: O.Recorded?

    required init(_ observable: AnyObject, isPlain: Bool, in observer: DeepObserver) {
        self.observable = unsafeDowncast(observable, to: O.self)
        super.init(observable, isPlain: isPlain, in: observer)
    }

    override var identity: Identity { Identity(observable) }

    override func skipWalk() -> Bool {
        guard isPlain else { return false }
        if !isEvaluated {
            isEvaluated = true
            evaluate { keep(observable.value) }
        } else {
            skipEvaluation()
            if owner.keepsValues { keep(untracked { observable.value }) }
        }
        return true
    }

    override func encode(into walk: Walk) {
        let value = observable.value
        let hasParts = walk.encodeTop(value, last: last)
        if hasParts || owner.keepsValues { last = value }
    }

    private func keep(_ value: O.Recorded) {
        if owner.keepsValues { last = value }
    }

    override var saved: SavedValue? { super.saved ?? last.map { TypedValue($0) } }

    override var state: SavedState? { last.map { StateOf(observable, $0) } }
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

    override func stands<Other: Encodable>(for root: Other) -> Bool {
        guard let other = root as? Value, Other.self == Value.self else { return false }
        return withUnsafeBytes(of: value) { bits in
            withUnsafeBytes(of: other) { bits.elementsEqual($0) }
        }
    }

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

    override func stands<Other: Encodable>(for root: Other) -> Bool {
        Other.self == Value.self && self.root.strong() === root as AnyObject
    }
}
