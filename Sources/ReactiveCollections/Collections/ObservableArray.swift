// An ordered collection that records which elements change.
//
// Its state is a value, so the transaction log keeps the previous state as an O(1) copy (ArrayState.swift). Observers
// depend on three kinds of nodes:
//
//     the array itself     elements by index, iteration, slices
//     CountNode            `count` and `isEmpty`; created with the first tracked read
//     ElementNode          `array[id: key]`; one for each id that has observers
//
// Views follow the log of rows that changed. The first view, or the first access by id, creates the rows; before that,
// a mutation pays nothing for them.
//
// A mutation locks the graph, keeps the previous state if a transaction may need it, changes the state, logs rows and
// ids, and notifies observers. It runs user code (`==`, predicates, ids) before or after the change, never in the
// middle. Meanwhile the array is marked as being modified: an access stops the program with a message. Removed elements
// are released after the graph is unlocked.
//
//     ObservableArray               the class             +Reading     reads
//     +Init                         the initialisers      +Writing     mutations of one element
//     +Replacing                    many elements         +Ordering    sorting and moving
//     +IDs, +Index                  access by id          +Following   rows, for views

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
/// - It has the mutating methods of `Array` and conforms to `RandomAccessCollection`. Inserting and removing at any
///   position takes O(log N). Iterators and slices are snapshots.
/// - Observers depend on what they read: ``count`` and ``isEmpty`` on the number of elements, `array[id: key]` on the
///   element with that id, and everything else on the whole array.
/// - Writing an equal element is not a change; see `Equality`.
/// - `array.live` has operators that create views. Changes of the array update the views incrementally.
/// - Any thread may read and write. Each call is atomic. Use `inTransaction` for several calls, such as loops over
///   indices.
/// - Closures that a mutation calls, including comparisons and ids, run untracked and with the graph locked. They must
///   not use the array: that stops the program with a message.
@_fixed_layout
public final class ObservableArray<Element>: _StoredSource {
    // Unchecked here and below: the graph's lock excludes other threads, and the mark of modifications detects
    // overlapping accesses on this thread.
    @exclusivity(unchecked) @usableFromInline final var state: ArrayState<Element>
    /// The comparison of two elements.
    @usableFromInline final let areEqual: (Element, Element) -> Bool
    /// The order of the rows. Empty until there are rows.
    @usableFromInline final let ordering = OwnOrdering()
    /// The rows that followers must check again.
    @usableFromInline final let stageLog = LogBox()
    /// Whether elements have rows. Once true, it stays true.
    @exclusivity(unchecked) @usableFromInline final var hasRows = false
    @exclusivity(unchecked) @usableFromInline final var countNode: Unmanaged<CountNode<Element>>?
    /// The elements' ids; `nil` before the first access by id, unless the array was created with a key path.
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
        // A chain of arrays must be freed without recursion.
        // No test sees this always hold: it only saves postponing what needs no freeing.
        if FreeingMark.begin(), !_isPOD(Element.self) { FreeingMark.postpone(state) }
    }

    // In the class, because an extension cannot override an initialiser of the superclass.

    /// Creates an empty array in which every write is a change, because elements of this type cannot be compared.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public override convenience init(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            elements: CountedTree(), ids: nil, areEqual: { _, _ in false }, named: name, fileID: fileID, line: line)
    }

    #if DEBUG
    /// Public only for the compiler.
    public override final func brokenInvariants() -> [String] { brokenInvariantsOfContents() }
    #endif

    // MARK: - The transaction log

    /// Keeps the state for the transaction log, if a transaction may need it.
    @inlinable @inline(__always)
    final func keepForRollBack() {
        if needsLogEntry() { log(saved) }
    }

    @usableFromInline
    final var saved: SavedArray<Element> {
        SavedArray(state: state, rows: hasRows ? ordering.rows : nil, log: stageLog.log)
    }

    /// Public only for the compiler.
    public override final func exchangeState(withLogged state: UnsafeMutableRawPointer) {
        let other = state.assumingMemoryBound(to: SavedArray<Element>.self)
        swap(&self.state, &other.pointee.state)
        if let rows = other.pointee.rows {
            ordering.rows = rows
            // The cursors of views that have read the log meanwhile are restored as well.
            swap(&stageLog.log, &other.pointee.log)
            stageLog.cuts.note(end: stageLog.log.end)
        } else if hasRows {
            // The state was kept before the rows were created.
            createRows()
        }
    }

    /// Whether the transaction has changed nothing. If so, restores the previous state, so that followers find their
    /// rows. Public only for the compiler.
    public override final func equalsState(logged state: UnsafeMutableRawPointer) -> Bool {
        let other = state.assumingMemoryBound(to: SavedArray<Element>.self)
        let areSame = withUserCode {
            self.state.elements.elementsEqual(other.pointee.state.elements, by: areEqual)
        }
        if areSame { exchangeState(withLogged: state) }
        return areSame
    }

    /// Public only for the compiler.
    public override final func discardState(logged state: UnsafeMutableRawPointer) {
        release(later: state.assumingMemoryBound(to: SavedArray<Element>.self).move())
    }
}

extension ObservableArray: @unchecked Sendable where Element: Sendable {
    // The graph's lock guards the state and the nodes.
}
