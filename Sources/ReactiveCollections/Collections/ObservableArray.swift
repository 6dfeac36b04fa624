// An ordered collection that knows which element changed.
//
// Its state is a value, so the transaction log keeps the old state with an O(1) copy (ArrayState.swift). Three kinds of
// nodes tell observers apart:
//
//     the array itself     elements by index, iteration, slices
//     CountNode            `count` and `isEmpty`; created with the first tracked read
//     ElementNode          `array[id: key]`, one for each id that has observers
//
// Views follow the log of dirty rows. Rows exist from the first view, or the first access by id, on; before that a
// mutation pays nothing for them.
//
// A mutation locks the graph, keeps the old state if a transaction may need it, changes the state, notes rows and ids,
// and notifies. User code in it (`==`, predicates, ids) runs before or after the change, never inside, and with the
// array marked as being modified: an access from there stops the program with a message. Elements that leave are
// released after the graph is unlocked.
//
//     ObservableArray               the class             +Reading     what observers read
//     +Init                         how elements compare  +Writing     one element at a time
//     +Replacing                    many elements         +Ordering    sorting, moving
//     +IDs                          access by id          +Following   rows, for views

public import Reactive

/// An array whose observers run when, and only when, something they read has changed.
///
/// ```swift
/// let names: ObservableArray = ["Ann", "Bob"]
/// autorun { print(names.count) }  // prints "2"
/// names.append("Cleo")  // prints "3"
/// names[0] = "Anne"  // the count is the same
/// ```
///
/// - It has the mutating methods of `Array` and is a `RandomAccessCollection`. Inserting and removing anywhere takes
///   O(log N). Iterators and slices are snapshots.
/// - Observers depend on what they read: ``count`` and ``isEmpty`` on the number of elements, `array[id: key]` on the
///   element with that id, and everything else on the whole array.
/// - Writing an equal element is no change; see `Equality`.
/// - `array.live` has operators that create views which are kept up to date by changes.
/// - Any thread may read and write. A call is atomic; use `inTransaction` for several, such as loops over indices.
/// - Closures that a mutation calls, comparisons and ids included, run with the graph locked and untracked. They must
///   not use the array itself: that stops the program with a message.
@_fixed_layout
public final class ObservableArray<Element>: _StoredSource {
    // Unchecked here and below: the graph's lock keeps other threads out, and the mark of modifications stops accesses
    // that overlap on this one.
    @exclusivity(unchecked) @usableFromInline final var state: ArrayState<Element>
    /// When two elements count as the same.
    @usableFromInline final let areEqual: (Element, Element) -> Bool
    /// The order of the rows. Empty until there are rows.
    @usableFromInline final let ordering = OwnOrdering()
    /// The rows that followers must look at again.
    @usableFromInline final let stageLog = LogBox()
    /// Whether elements have rows. Stays true.
    @exclusivity(unchecked) @usableFromInline final var hasRows = false
    @exclusivity(unchecked) @usableFromInline final var countNode: Unmanaged<CountNode<Element>>?
    /// How to get at the elements' ids; `nil` if that was never asked for.
    @exclusivity(unchecked) @usableFromInline final var ids: ElementIDs<Element>?
    @usableFromInline final let freeing = FreeingMark()

    /// The initialiser that all others call.
    @inlinable
    init(
        elements: CountedTree<Element>, ids: ElementIDs<Element>?, areEqual: @escaping (Element, Element) -> Bool,
        named name: String?, fileID: StaticString, line: UInt
    ) {
        state = ArrayState(elements)
        self.areEqual = areEqual
        self.ids = ids
        super.init(named: name, fileID: fileID, line: line)
    }

    @inlinable
    deinit {
        // A chain of arrays is freed without recursion.
        if FreeingMark.begin(), !_isPOD(Element.self) { FreeingMark.postpone(state) }
    }

    // Here because it overrides one of the superclass, which an extension cannot.

    /// Creates an empty array in which every write is a change, because elements of this type cannot be compared.
    ///
    /// - Parameters:
    ///   - name: What diagnostics call it. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public override convenience init(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            elements: CountedTree(), ids: nil, areEqual: { _, _ in false }, named: name, fileID: fileID, line: line)
    }

    // MARK: - The transaction log

    /// Keeps the state for a roll-back, if a transaction may need it.
    @inlinable @inline(__always)
    final func keepForRollBack() {
        if needsLogEntry() { log(saved) }
    }

    @usableFromInline
    final var saved: SavedArray<Element> {
        SavedArray(state: state, rows: hasRows ? ordering.rows : nil, log: stageLog.log)
    }

    /// Public for the compiler's sake; not for use.
    public override final func exchangeState(withLogged state: UnsafeMutableRawPointer) {
        let other = state.assumingMemoryBound(to: SavedArray<Element>.self)
        swap(&self.state, &other.pointee.state)
        if let rows = other.pointee.rows {
            other.pointee.rows = ordering.rows
            ordering.rows = rows
            // What views have read from the log meanwhile is restored as well.
            swap(&stageLog.log, &other.pointee.log)
            stageLog.cuts.note(end: stageLog.log.end)
        } else if hasRows {
            // The rows were created after the state was kept.
            createRows()
        }
    }

    /// Whether the transaction has changed nothing. If so, restores the old state, so that followers find their rows.
    /// Public for the compiler's sake; not for use.
    public override final func equalsState(logged state: UnsafeMutableRawPointer) -> Bool {
        let other = state.assumingMemoryBound(to: SavedArray<Element>.self)
        let areSame = untracked {
            self.state.elements.elementsEqual(other.pointee.state.elements, by: areEqual)
        }
        if areSame { exchangeState(withLogged: state) }
        return areSame
    }

    /// Public for the compiler's sake; not for use.
    public override final func discardState(logged state: UnsafeMutableRawPointer) {
        release(later: state.assumingMemoryBound(to: SavedArray<Element>.self).move())
    }
}

extension ObservableArray: @unchecked Sendable where Element: Sendable {
    // The graph's lock guards the state and the nodes.
}
