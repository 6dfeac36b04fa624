// A cell of a deep observation: one observable, or one value that must be walked separately.
//
//     Cell                       a part of the reaction, with its links
//     ├─ ObservableCell<O>       an observable
//     └─ ValueCell<Value>        the root; a value whose `encode(to:)` reads observables itself;
//                                the rest of a value too deep for the stack
//
// The *region* of a cell is what its value encodes, up to the next cells (Region.swift). Links lead from a cell to the
// regions that contain it. One of them is the *primary* link: the primary links from any cell lead to the root. So they
// form a spanning tree of the graph, whatever cycles the graph has. A cell that loses a link which is not its primary
// one certainly remains reachable.

import Reactive

/// A part of a deep observation. Guarded by the graph's lock.
///
/// Exclusivity is unchecked, here and in subclasses: the lock keeps other threads out, and no access to a property
/// lasts while a user's `encode(to:)` runs. The deinitializer of a replaced value may write state, but that only marks
/// the cell, which is walked afterwards.
class Cell: _ReactionPart {
    unowned(unsafe) final let owner: DeepObserver
    /// The link towards the root. `nil` for the root, and for a cell that has ended.
    @exclusivity(unchecked) final var primary: Link?
    /// Further links of a shared cell. Some may be invalid.
    @exclusivity(unchecked) final var others: [Link] = []
    /// The region that the last walk found; `nil` if it contains no cells.
    @exclusivity(unchecked) final var region: Region?
    /// Whether the cell lost its primary link and is not known to be reachable by a different one.
    @exclusivity(unchecked) final var isSuspect = false
    /// Whether walks must record what the cell encodes, because its value alone does not determine that; see
    /// Transcript.swift.
    @exclusivity(unchecked) final var needsTranscript = false
    /// The recorded encoding of the last walk, if it is needed.
    @exclusivity(unchecked) final var transcript: Transcript?

    /// Creates the cell of an observable. The type of the cell depends on the type of the observable.
    required init(_ observable: AnyObject, isPlain: Bool, in observer: DeepObserver) {
        owner = observer
        super.init(of: observer.reaction)
    }

    /// Creates the cell of a value that is not an observable.
    init(in observer: DeepObserver) {
        owner = observer
        super.init(of: observer.reaction)
    }

    /// The identity of the cell's object, or of the cell itself if it has no object.
    var identity: Identity { Identity(self) }

    /// Updates the cell without a walk. Returns `false` if it must be walked.
    func skipWalk() -> Bool { false }

    /// Encodes the cell's value.
    func encode(into walk: Walk) {}

    /// Whether this is the cell of this root, and not of an equal one.
    // No test sees this: the cells of roots override it.
    func represents<Root: Encodable>(_ root: Root) -> Bool { false }

    /// The value that was encoded last, to be kept.
    var saved: SavedValue? { transcript }

    /// The value at the last walk, if this is the cell of an observable and old values are needed.
    var state: SavedState? { nil }

    /// The regions of the elements, if the value is an array that was walked by elements.
    final var elements: ElementsRegion? { region as? ElementsRegion }

    /// Adds a link to the region of a walk in progress.
    final func link(to region: Region, at position: Position) {
        let link = Link(region: region, position: position)
        guard let primary else {
            self.primary = link
            return
        }
        if primary.region.cell === region.cell, !primary.isValid {
            self.primary = link
        } else {
            // No test sees this always hold: it only saves time.
            // No test sees this never hold: it only saves memory. Links that are not valid are passed over.
            // No test sees this left out: as above.
            if others.count == others.capacity { others.removeAll { !$0.isValid } }
            others.append(link)
        }
    }

    /// Makes a different link the primary one. The old primary link is kept if it is valid.
    final func makePrimary(other index: Int) {
        let link = others[index]
        // No test sees this always hold: a link that is not valid is passed over.
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

    /// Ends the cell and releases its neighbours.
    final func depart() {
        region?.invalidate()
        region = nil
        primary = nil
        others = []
        end()
    }
}

/// A link from a cell to a region that contains it.
struct Link {
    let region: Region
    let position: Position

    var isValid: Bool { region.isValid }
}

/// The cell of an observable.
final class ObservableCell<O: EncodableObservable>: Cell {
    private let observable: O
    /// Whether the observable's values need no walk.
    private let isPlain: Bool
    /// Whether it was evaluated. A plain cell need not be evaluated again.
    @exclusivity(unchecked) private var isEvaluated = false
    /// The value at the last walk, if old values are needed, or if it is an array or a dictionary that is walked by
    /// elements: its changes are found by comparison.
    @exclusivity(unchecked) private var last: O.Recorded?

    required init(_ observable: AnyObject, isPlain: Bool, in observer: DeepObserver) {
        self.observable = unsafeDowncast(observable, to: O.self)
        self.isPlain = isPlain
        super.init(observable, isPlain: isPlain, in: observer)
    }

    override var identity: Identity { Identity(observable) }

    override func skipWalk() -> Bool {
        // No test sees this never hold: it only saves the walk.
        guard isPlain else { return false }
        // No test sees this always hold: it only saves the evaluation, which would read the same.
        if !isEvaluated {
            // No test sees this: as above.
            isEvaluated = true
            evaluate { keep(observable.value) }
        } else {
            skipEvaluation()
            // No test sees this always hold: it only saves a read of a value that is not kept.
            if owner.keepsValues { keep(untracked { observable.value }) }
        }
        return true
    }

    override func encode(into walk: Walk) {
        let value = observable.value
        let hasParts = walk.encodeTop(value, last: last)
        // No test sees this always hold: it only saves keeping the value.
        if hasParts || owner.keepsValues { last = value }
    }

    private func keep(_ value: O.Recorded) {
        // No test sees this always hold: it only saves keeping the value.
        if owner.keepsValues { last = value }
    }

    override var saved: SavedValue? { super.saved ?? last.map { TypedValue($0) } }

    override var state: SavedState? { last.map { StateOf(observable, $0) } }
}

extension EncodableObservable {
    /// The type of the cells of these observables.
    static var cellType: Cell.Type { ObservableCell<Self>.self }
}

/// The cell of a value that is not an observable.
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

    /// Returns a function that creates the cell of a root.
    static func maker(for root: Value) -> (DeepObserver) -> Cell {
        { ValueCell(root, object: nil, in: $0) }
    }

    /// Returns a function that creates the cell of a root that may be the owner of the reaction. The reaction does not
    /// keep its owner alive.
    static func maker(for root: Value, of owner: AnyObject) -> (DeepObserver) -> Cell {
        guard root as AnyObject === owner else { return maker(for: root) }
        let owner = WeakOwner(owner)
        return { OwnerCell<Value>(owner, in: $0) }
    }

    override var identity: Identity { object ?? super.identity }

    override func encode(into walk: Walk) { walk.encodeTop(value) }

    override func represents<Other: Encodable>(_ root: Other) -> Bool {
        guard let other = root as? Value else { return false }
        return withUnsafeBytes(of: value) { bits in
            withUnsafeBytes(of: other) { bits.elementsEqual($0) }
        }
    }

    override var saved: SavedValue? { super.saved ?? TypedValue(value) }
}

/// The cell of a root that is the owner of the reaction. When the owner has been released, nothing is encoded: the
/// reaction is about to end.
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

    override func represents<Other: Encodable>(_ root: Other) -> Bool {
        self.root.strong() === root as AnyObject
    }
}
