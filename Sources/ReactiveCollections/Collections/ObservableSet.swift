// A set that records which elements are inserted and removed. It is a dictionary without values; see KeyedSource.swift.

public import Reactive

/// A set whose observers run when, and only when, the elements that they have read are inserted or removed.
///
/// ```swift
/// let selection: ObservableSet = [1, 2]
/// let observer = autorun { print(selection.contains(3)) }  // prints "false"
/// selection.insert(4)
/// selection.insert(3)  // prints "true"
/// ```
///
/// - ``contains(_:)`` in an observer subscribes to that element only, whether or not the set has the element. ``count``
///   and ``isEmpty`` subscribe to the number of elements, and everything else to all elements.
/// - Inserting an element that the set has, or removing one that it does not have, is not a change. A transaction that
///   restores the previous contents notifies no observer.
/// - Iterators and slices are snapshots, which later changes do not alter.
/// - The order of the elements is unspecified, but equal histories give equal orders.
/// - The encoded form has a stable order while the set is in an object graph that is observed, recorded or patched: a
///   new element is the last one. Patches name elements by their positions in that order.
/// - Any thread may read and write. Each call is atomic. Use `inTransaction` for several.
/// - `==` and `hash(into:)` of elements are called untracked. Code that the set calls must not mutate it: that stops
///   the program with a message.
///
/// It has the methods of `SetAlgebra`, but does not conform to it, because that protocol is for values. Methods that
/// return a new set return a plain one. The operator `==` compares the elements of two sets. Nevertheless, the class is
/// not `Equatable`: an observable that contains a set must treat a different object as a change.
@_fixed_layout
public final class ObservableSet<Element: Hashable>: _KeyedSource<Element, Void> {
    /// The type of a snapshot: the elements at the time of a read.
    public typealias Snapshot = SetSnapshot<Element>

    /// Creates a set with the elements of a sequence.
    ///
    /// - Parameters:
    ///   - elements: The elements; of several equal ones, the first is used.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(N).
    @inlinable
    public init(
        _ elements: some Sequence<Element>, named name: String? = nil, fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        var table = KeyedTable<Element, Void>()
        // No test sees this left out: it only saves allocations.
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
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    @inlinable
    public init(
        minimumCapacity: Int = 0, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) {
        var table = KeyedTable<Element, Void>()
        // No test sees this left out: it only saves allocations.
        table.reserveCapacity(minimumCapacity)
        super.init(table: table, areEqual: { _, _ in true }, named: name, fileID: fileID, line: line)
    }
}

extension ObservableSet: @unchecked Sendable where Element: Sendable {
    // The graph's lock guards the table and the nodes; the rest is immutable.
}

extension ObservableSet: ExpressibleByArrayLiteral {
    // Disfavored, because a call without arguments must not resolve to a variadic initialiser.
    /// Creates a set from a literal. Of several equal elements, the first is used.
    @inlinable @_disfavoredOverload
    public convenience init(arrayLiteral elements: Element...) { self.init(elements) }
}

// MARK: - Reading

extension ObservableSet {
    /// Whether the set has an element. Observers depend on this element only.
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

    /// The number of elements. Observers depend on the number only.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var count: Int {
        enter()
        defer { leave() }
        noteReadOfCount()
        return table.count
    }

    /// Whether there are no elements. Observers depend on the number of elements only.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var isEmpty: Bool { count == 0 }

    /// The current elements, which later changes do not alter. Observers depend on all elements.
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
    /// - Parameter isIncluded: Called for each element, outside the lock.
    /// - Returns: A plain set.
    /// - Throws: The error that `isIncluded` throws.
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

    /// The position after the last element.
    @inlinable
    public final var endIndex: KeyedIndex { .end }

    /// The position after a given one. Observers depend on all elements.
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

    /// A slice of the current elements, which later changes do not alter. Observers depend on all elements.
    ///
    /// - Parameter bounds: A range of positions.
    @inlinable
    public final subscript(bounds: Range<KeyedIndex>) -> Slice<SetSnapshot<Element>> { snapshot[bounds] }

    /// Returns an iterator over the current elements. Observers depend on all elements.
    ///
    /// - Complexity: O(1); O(N) to iterate over all elements.
    @inlinable
    public final func makeIterator() -> SetSnapshot<Element>.Iterator { snapshot.makeIterator() }

    /// The number of elements, untracked.
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
