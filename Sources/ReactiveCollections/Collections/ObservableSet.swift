// A set that knows which element came or went. It is a dictionary without values; see KeyedSource.swift.

public import Reactive

/// A set whose observers run when, and only when, the elements that they asked for have come or gone.
///
/// ```swift
/// let selection: ObservableSet = [1, 2]
/// let reaction = autorun { print(selection.contains(3)) }  // prints "false"
/// selection.insert(4)
/// selection.insert(3)  // prints "true"
/// ```
///
/// - ``contains(_:)`` in an observer subscribes to that element alone, whether the set has it or not. ``count`` and
///   ``isEmpty`` subscribe to the number of elements, and everything else to all of them.
/// - Inserting an element that is there, or removing one that is not, is no change. A transaction that restores what
///   was there before notifies nobody.
/// - Iterators and slices are snapshots: later changes do not alter them.
/// - The order of the elements is no promise, but the same history gives the same order.
/// - The encoded form has a stable order while the set is in a graph that is observed, recorded or patched: an element
///   that comes is the last one, and patches name elements by their positions.
/// - Any thread may read and write. Each call is atomic; use `inTransaction(_:)` for several.
/// - `==` and `hash(into:)` of elements are called untracked. Code that the set calls must not mutate it; that stops
///   the program with its name.
///
/// It has the methods of `SetAlgebra` without conforming to it, since that is for values. Those that return a new set
/// return a plain one. Two sets are compared with `==` by their elements. The class is not `Equatable` all the same: an
/// observable that holds a set must take the difference between two objects for a change.
@_fixed_layout
public final class ObservableSet<Element: Hashable>: _KeyedSource<Element, Void> {
    /// The elements at some time, which never change.
    public typealias Snapshot = SetSnapshot<Element>

    /// Creates a set with the elements of a sequence.
    ///
    /// - Parameters:
    ///   - elements: The elements; the first of several equal ones counts.
    ///   - name: The name for diagnostics. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    /// - Complexity: O(N).
    @inlinable
    public init(
        _ elements: some Sequence<Element>, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        var table = KeyedTable<Element, Void>()
        table.reserveCapacity(elements.underestimatedCount)
        for element in elements {
            let hash = KeyedTable<Element, Void>.hash(of: element)
            if table.find(element, hash: hash) == nil { _ = table.insert(element, (), hash: hash) }
        }
        super.init(table: table, areEqual: { _, _ in true }, named: name, fileID: fileID, line: line)
    }

    /// Creates an empty set.
    ///
    /// - Parameters:
    ///   - minimumCapacity: The number of elements to expect.
    ///   - name: The name for diagnostics. Without one: the file and line that created it.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    @inlinable
    public init(
        minimumCapacity: Int = 0, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        var table = KeyedTable<Element, Void>()
        table.reserveCapacity(minimumCapacity)
        super.init(table: table, areEqual: { _, _ in true }, named: name, fileID: fileID, line: line)
    }
}

extension ObservableSet: @unchecked Sendable where Element: Sendable {
    // The graph's lock guards the table and the nodes; the rest is immutable.
}

extension ObservableSet: ExpressibleByArrayLiteral {
    // Disfavored, since the call without arguments is not meant for a variadic function.
    /// Creates a set from a literal; the first of several equal elements counts.
    @inlinable @_disfavoredOverload
    public convenience init(arrayLiteral elements: Element...) { self.init(elements) }
}

// MARK: - Reading

extension ObservableSet {
    /// Whether the set has an element. Observers depend on this element alone.
    ///
    /// - Parameter element: The element.
    /// - Complexity: O(1).
    @inlinable
    public final func contains(_ element: Element) -> Bool {
        let hash = hash(of: element)
        enter()
        defer { leave() }
        noteRead(of: element, hash)
        return find(element, hash) != nil
    }

    /// The number of elements. Observers depend on the number alone.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var count: Int {
        enter()
        defer { leave() }
        noteReadOfCount()
        return table.count
    }

    /// Whether there is no element. Observers depend on the number of elements alone.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var isEmpty: Bool { count == 0 }

    /// The present elements, which later changes do not alter. Observers depend on all elements.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var snapshot: SetSnapshot<Element> {
        enter()
        defer { leave() }
        noteReadOfMembership()
        return SetSnapshot(table)
    }

    /// The elements as a plain set. Observers depend on all elements.
    ///
    /// - Complexity: O(N).
    @inlinable
    public final var elements: Set<Element> { Set(snapshot) }

    /// Returns the position of an element. Observers depend on all elements.
    ///
    /// - Parameter element: The element.
    /// - Returns: The position, or `nil` if the set does not have the element.
    /// - Complexity: O(1).
    @inlinable
    public final func firstIndex(of element: Element) -> KeyedIndex? {
        let hash = hash(of: element)
        enter()
        defer { leave() }
        noteReadOfMembership()
        return find(element, hash).map { KeyedIndex(row: Int($0)) }
    }

    /// Returns the elements that satisfy a predicate. Observers depend on all elements.
    ///
    /// - Parameter isIncluded: Called for each element, without a lock.
    /// - Returns: A plain set.
    /// - Throws: What `isIncluded` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Set<Element> {
        var result: Set<Element> = []
        for element in snapshot where try isIncluded(element) { result.insert(element) }
        return result
    }
}

extension ObservableSet: Collection {
    /// The position of the first element. Observers depend on all elements.
    @inlinable
    public final var startIndex: KeyedIndex { snapshot.startIndex }

    /// The position behind the last element.
    @inlinable
    public final var endIndex: KeyedIndex { .end }

    /// The position behind another one. Observers depend on all elements.
    ///
    /// - Parameter index: The position of an element.
    /// - Returns: The position of the next element, or ``endIndex``.
    /// - Complexity: O(1), amortised.
    @inlinable
    public final func index(after index: KeyedIndex) -> KeyedIndex {
        enter()
        defer { leave() }
        noteReadOfMembership()
        if !table.hasEntry(at: index) { stopForIndex() }
        return table.index(after: index)
    }

    /// The element at a position. Observers depend on all elements.
    ///
    /// - Parameter position: The position of an element.
    /// - Complexity: O(1).
    @inlinable
    public final subscript(position: KeyedIndex) -> Element {
        enter()
        defer { leave() }
        noteReadOfMembership()
        if !table.hasEntry(at: position) { stopForIndex() }
        return table.key(at: Row(position.row))
    }

    /// A slice of the present elements, which later changes do not alter. Observers depend on all elements.
    ///
    /// - Parameter bounds: Positions of elements.
    @inlinable
    public final subscript(bounds: Range<KeyedIndex>) -> Slice<SetSnapshot<Element>> { snapshot[bounds] }

    /// An iterator over the present elements. Observers depend on all elements.
    ///
    /// - Complexity: O(1); O(N) to the end.
    @inlinable
    public final func makeIterator() -> SetSnapshot<Element>.Iterator { snapshot.makeIterator() }

    /// A hint at the number of elements. Subscribes nobody.
    @inlinable
    public final var underestimatedCount: Int { untracked { count } }

    /// The first element, or `nil` if there is none. Observers depend on all elements.
    @inlinable
    public final var first: Element? { snapshot.first }

    /// Returns a random element, or `nil` if there is none. Observers depend on all elements.
    ///
    /// - Complexity: O(N).
    @inlinable
    public final func randomElement() -> Element? { snapshot.randomElement() }
}
