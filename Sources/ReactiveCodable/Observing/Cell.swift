// What a deep observation knows of one observable, or of one value that must be walked by itself.
//
//     Cell                       a part of the reaction, with its links
//     ├─ ObservableCell<O>       an observable
//     └─ ValueCell<Value>        the root; a value whose `encode(to:)` reads observables itself; the rest of a value too deep for the stack
//
// A cell's *region* is what its own value encodes, up to the next cells: its children. Links lead from a cell to its parents. One of
// them is the *primary* one: following primary links from any cell leads to the root. So the primary links form a tree that spans
// the graph, whatever cycles the graph has, and a cell that loses another link than its primary one is still reachable for sure.
//
// A link is valid as long as its parent has not been walked again: each walk has a number, and the link carries that of the walk that
// made it. So a walk makes all links of the last one invalid in no time.

import Reactive

class Cell: _ReactionPart {
    unowned(unsafe) final let owner: DeepObserver
    /// The link that leads towards the root. `nil` for the root, and once the cell has ended.
    final var primary: Link?
    /// Further links, from shared cells; invalid ones among them.
    final var others: [Link] = []
    /// The cells that the last walk met.
    final var children: ContiguousArray<Cell> = []
    /// The number of the last walk.
    final var walk: UInt32 = 0
    /// Lost its primary link and is not known to be reachable by another one.
    final var isSuspect = false
    /// Must be walked with a record of what it encodes, because values alone do not tell what that was; see Transcript.swift.
    final var needsTranscript = false
    /// What the last walk encoded, if it is needed.
    final var transcript: Transcript?

    init(in observer: DeepObserver) {
        owner = observer
        super.init(of: observer.reaction)
    }

    /// Where the object that the cell stands for lies; the cell itself, if it stands for none.
    var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// Brings itself up to date without a walk. Returns false if it must be walked.
    func skipWalk() -> Bool { false }

    /// Encodes its value.
    func encode(into walk: Walk) {}

    /// What it encoded last, to be kept.
    var saved: SavedValue? { transcript }

    /// Adds a link to a parent that is being walked.
    final func link(to parent: Cell, at position: Position) {
        let link = Link(parent: parent, walk: parent.walk, position: position)
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
    let walk: UInt32
    let position: Position

    var isValid: Bool { parent.walk == walk }
}

/// The cell of an observable.
final class ObservableCell<O: EncodableObservable>: Cell {
    private let observable: O
    private let isPlain: Bool
    /// The value at the last walk, if old values are asked for.
    private var last: O.Value?

    init(_ observable: O, in observer: DeepObserver) {
        self.observable = observable
        isPlain = observer.types.info(of: O.Value.self).kind == .plain
        super.init(in: observer)
    }

    override var identity: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(observable).toOpaque()) }

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
    /// A cell for `object`, which is one of these.
    static func makeCell(for object: AnyObject, in observer: DeepObserver) -> Cell {
        ObservableCell(unsafeDowncast(object, to: Self.self), in: observer)
    }
}

/// The cell of a value that is no observable.
final class ValueCell<Value: Encodable>: Cell {
    private let value: Value
    private let object: UnsafeRawPointer?

    init(_ value: Value, object: UnsafeRawPointer?, in observer: DeepObserver) {
        self.value = value
        self.object = object
        super.init(in: observer)
    }

    /// How to make the cell of a root.
    static func maker(for root: Value) -> (DeepObserver) -> Cell {
        { ValueCell(root, object: nil, in: $0) }
    }

    override var identity: UnsafeRawPointer { object ?? super.identity }

    override func encode(into walk: Walk) { walk.encodeTop(value) }

    override var saved: SavedValue? { super.saved ?? TypedValue(value) }
}
