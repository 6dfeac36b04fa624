// Reads of an array. Each is atomic: reads of several elements use a snapshot.

public import Reactive

extension ObservableArray {
    // MARK: - The number of elements

    /// The number of elements. Observers depend on the number only.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var count: Int {
        enter()
        defer { leave() }
        if isTracked { readCount() }
        return state.elements.count
    }

    /// Whether there are no elements. Observers depend on the number of elements only.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var isEmpty: Bool { count == 0 }

    /// Records a read of the number of elements.
    @usableFromInline
    final func readCount() {
        if let countNode { return countNode.takeUnretainedValue().noteRead() }
        let node = CountNode(of: self)
        countNode = .passUnretained(node)
        // From here on, an edge keeps the node alive.
        node.noteRead()
    }

    // MARK: - Elements

    /// The element at a position.
    ///
    /// Reading it in an observer subscribes to the whole array. Assigning an equal element is not a change. Mutating in
    /// place copies nothing, and subscribes only for plain values such as numbers. After a mutation in place, only
    /// small plain values are compared; any other mutation is a change.
    ///
    /// - Parameter index: A position that is at least 0 and less than ``count``.
    /// - Complexity: O(log N).
    @inlinable
    public final subscript(index: Int) -> Element {
        get {
            enter()
            defer { leave() }
            noteRead()
            checkIndex(index)
            return state.elements[index]
        }
        set { update(at: index, to: newValue) }
        _modify {
            let modification = beginModification(at: index)
            defer { endModification(modification) }
            yield &state.elements[index]
        }
    }

    /// The first element, or `nil` if the array is empty. Observers depend on the whole array.
    ///
    /// - Complexity: O(log N).
    @inlinable
    public final var first: Element? {
        enter()
        defer { leave() }
        noteRead()
        return state.elements.count == 0 ? nil : state.elements[0]
    }

    /// The last element, or `nil` if the array is empty. Observers depend on the whole array.
    ///
    /// - Complexity: O(log N).
    @inlinable
    public final var last: Element? {
        enter()
        defer { leave() }
        noteRead()
        return state.elements.count == 0 ? nil : state.elements[state.elements.count - 1]
    }

    // MARK: - Snapshots

    /// The current elements, which later mutations do not alter. Observers depend on the whole array.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var snapshot: ArraySnapshot<Element> {
        enter()
        defer { leave() }
        noteRead()
        return ArraySnapshot(state.elements)
    }

    /// The elements as a plain array. Observers depend on the whole array.
    ///
    /// - Complexity: O(N).
    @inlinable
    public final var elements: [Element] { Array(snapshot) }

    /// The elements in a range of positions. Reading returns a snapshot, and assigning replaces the elements.
    ///
    /// - Parameter bounds: A range of positions of the array. A slice has the same indices as the array.
    /// - Complexity: O(1) to read; that of `replaceSubrange` to write.
    @inlinable
    public final subscript(bounds: Range<Int>) -> ArraySnapshot<Element> {
        get { snapshot[bounds] }
        set { replaceSubrange(bounds, with: newValue) }
    }

    // MARK: - Misuse

    @inlinable @inline(__always)
    final func checkIndex(_ index: Int) {
        if index < 0 || index >= state.elements.count { stop(at: "index \(index)") }
    }

    @inlinable @inline(__always)
    final func checkRange(_ range: Range<Int>) {
        if range.lowerBound < 0 || range.upperBound > state.elements.count { stop(at: "range \(range)") }
    }

    /// Stops the program because an index is out of bounds.
    @usableFromInline @inline(never)
    final func stop(at index: String) -> Never {
        fatalError("Reactive: \(index) is out of bounds: \(displayName) has \(state.elements.count) elements.")
    }
}

extension ObservableArray: RandomAccessCollection {
    /// The position of the first element: 0.
    @inlinable
    public final var startIndex: Int { 0 }

    /// The position after the last element. Observers depend on the number of elements.
    @inlinable
    public final var endIndex: Int { count }

    /// Returns an iterator over a snapshot of the elements. Observers depend on the whole array.
    ///
    /// - Complexity: O(1); O(N) to iterate over all elements.
    @inlinable
    public final func makeIterator() -> ArraySnapshot<Element>.Iterator { snapshot.makeIterator() }

    /// The number of elements, untracked.
    @inlinable
    public final var underestimatedCount: Int { untracked { count } }

    /// Returns the elements as a contiguous array. Observers depend on the whole array.
    @inlinable
    public final func _copyToContiguousArray() -> ContiguousArray<Element> { ContiguousArray(snapshot) }

    // The methods of `Collection` read elements one by one, and a different thread may write between two reads. So the
    // methods that are used most are implemented on a snapshot.

    /// Returns the results of a closure for each element. Observers depend on the whole array.
    ///
    /// - Parameter transform: Called for each element, outside the lock.
    /// - Returns: The results in order.
    /// - Throws: The error that `transform` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func map<T, E: Error>(_ transform: (Element) throws(E) -> T) throws(E) -> [T] {
        try snapshot.map(transform)
    }

    /// Returns the position of the first element that satisfies a predicate. Observers depend on the whole array.
    ///
    /// - Parameter predicate: Called for the elements in order until it returns `true`, outside the lock.
    /// - Returns: The position, or `nil` if there is none.
    /// - Throws: The error that `predicate` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func firstIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
        try snapshot.firstIndex(where: predicate)
    }

    /// Returns the position of the last element that satisfies a predicate. Observers depend on the whole array.
    ///
    /// - Parameter predicate: Called for the elements in reverse order until it returns `true`, outside the lock.
    /// - Returns: The position, or `nil` if there is none.
    /// - Throws: The error that `predicate` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func lastIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
        try snapshot.lastIndex(where: predicate)
    }

    /// Returns the last element that satisfies a predicate. Observers depend on the whole array.
    ///
    /// - Parameter predicate: Called for the elements in reverse order until it returns `true`, outside the lock.
    /// - Returns: The element, or `nil` if there is none.
    /// - Throws: The error that `predicate` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func last(where predicate: (Element) throws -> Bool) rethrows -> Element? {
        try snapshot.last(where: predicate)
    }

    /// Returns a snapshot of the first elements. Observers depend on the whole array.
    ///
    /// - Parameter maxLength: The maximum number of elements.
    /// - Returns: The elements, with the indices that they have in the array.
    /// - Complexity: O(1).
    @inlinable
    public final func prefix(_ maxLength: Int) -> ArraySnapshot<Element> { snapshot.prefix(maxLength) }

    /// Returns a snapshot of the last elements. Observers depend on the whole array.
    ///
    /// - Parameter maxLength: The maximum number of elements.
    /// - Returns: The elements, with the indices that they have in the array.
    /// - Complexity: O(1).
    @inlinable
    public final func suffix(_ maxLength: Int) -> ArraySnapshot<Element> { snapshot.suffix(maxLength) }

    /// Returns a snapshot of all but the first elements. Observers depend on the whole array.
    ///
    /// - Parameter count: The number of elements to leave out.
    /// - Returns: The elements, with the indices that they have in the array.
    /// - Complexity: O(1).
    @inlinable
    public final func dropFirst(_ count: Int = 1) -> ArraySnapshot<Element> { snapshot.dropFirst(count) }

    /// Returns a snapshot of all but the last elements. Observers depend on the whole array.
    ///
    /// - Parameter count: The number of elements to leave out.
    /// - Returns: The elements, with the indices that they have in the array.
    /// - Complexity: O(1).
    @inlinable
    public final func dropLast(_ count: Int = 1) -> ArraySnapshot<Element> { snapshot.dropLast(count) }

    /// Returns a random element. Observers depend on the whole array.
    ///
    /// - Returns: An element, or `nil` if the array is empty.
    /// - Complexity: O(log N).
    @inlinable
    public final func randomElement() -> Element? { snapshot.randomElement() }

    /// Returns the elements in reverse order. Observers depend on the whole array.
    ///
    /// - Returns: A snapshot.
    /// - Complexity: O(1).
    @inlinable
    public final func reversed() -> ReversedCollection<ArraySnapshot<Element>> { snapshot.reversed() }
}

extension ObservableArray where Element: Equatable {
    /// Returns the position of the first element that equals a given one. Observers depend on the whole array.
    ///
    /// - Parameter element: The element to find.
    /// - Returns: The position, or `nil` if there is none.
    /// - Complexity: O(N).
    @inlinable
    public final func firstIndex(of element: Element) -> Int? { snapshot.firstIndex(of: element) }

    /// Returns the position of the last element that equals a given one. Observers depend on the whole array.
    ///
    /// - Parameter element: The element to find.
    /// - Returns: The position, or `nil` if there is none.
    /// - Complexity: O(N).
    @inlinable
    public final func lastIndex(of element: Element) -> Int? { snapshot.lastIndex(of: element) }

    /// Whether two arrays have equal elements in the same order. Observers depend on both.
    ///
    /// The class is not `Equatable`: an observable that contains an array compares it by identity.
    @inlinable
    public static func == (a: ObservableArray, b: ObservableArray) -> Bool { a.snapshot == b.snapshot }

    /// Whether two arrays differ in an element or in the order. Observers depend on both.
    @inlinable
    public static func != (a: ObservableArray, b: ObservableArray) -> Bool { a.snapshot != b.snapshot }

    /// Whether an array has the elements of a plain one in the same order. Observers depend on the array.
    @inlinable
    public static func == (a: ObservableArray, b: [Element]) -> Bool { a.snapshot.elementsEqual(b) }

    /// Whether an array differs from a plain one in an element or in the order. Observers depend on the array.
    @inlinable
    public static func != (a: ObservableArray, b: [Element]) -> Bool { !a.snapshot.elementsEqual(b) }
}
