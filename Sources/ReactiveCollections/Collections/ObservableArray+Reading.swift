// What observers read. Each read is atomic; what needs several elements works on a snapshot.

public import Reactive

extension ObservableArray {
    // MARK: - The number of elements

    /// The number of elements. Observers depend on the number alone.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var count: Int {
        enter()
        defer { leave() }
        if isTracked { readCount() }
        return state.elements.count
    }

    /// Whether there are no elements. Observers depend on the number of elements alone.
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
        // An edge keeps the node from here on.
        node.noteRead()
    }

    // MARK: - Elements

    /// The element at a position.
    ///
    /// Reading it in an observer subscribes to the whole array. Mutating in place copies nothing and subscribes only
    /// for plain values such as numbers. An equal new element is no change; after a mutation in place that can be told
    /// for small plain values only.
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

    /// The present elements, which later mutations of the array do not change. Observers depend on the whole array.
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

    /// The elements in a range of positions: a snapshot for reading; assigning replaces them.
    ///
    /// - Parameter bounds: Positions of the array. A slice has the same indices as the array.
    /// - Complexity: O(1) to read; to write as `replaceSubrange`.
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

    /// Stops the program because of an index.
    @usableFromInline @inline(never)
    final func stop(at index: String) -> Never {
        fatalError("Reactive: \(index) is out of bounds: \(displayName) has \(state.elements.count) elements.")
    }
}

extension ObservableArray: RandomAccessCollection {
    /// The position of the first element: 0.
    @inlinable
    public final var startIndex: Int { 0 }

    /// The position behind the last element. Observers depend on the number of elements.
    @inlinable
    public final var endIndex: Int { count }

    /// An iterator over the elements that the array has now. Observers depend on the whole array.
    ///
    /// - Complexity: O(1); O(N) to the end.
    @inlinable
    public final func makeIterator() -> ArraySnapshot<Element>.Iterator { snapshot.makeIterator() }

    /// A hint at the number of elements. Subscribes nobody.
    @inlinable
    public final var underestimatedCount: Int { untracked { count } }

    /// The elements as a contiguous array. Observers depend on the whole array.
    @inlinable
    public final func _copyToContiguousArray() -> ContiguousArray<Element> { ContiguousArray(snapshot) }

    // The methods of collections look elements up one by one. Between two look-ups another thread may write; so those
    // that are used most work on a snapshot.

    /// Returns the results of a closure for each element. Observers depend on the whole array.
    ///
    /// - Parameter transform: Called for each element, without a lock.
    /// - Returns: The results in order.
    /// - Throws: What `transform` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func map<T, E: Error>(_ transform: (Element) throws(E) -> T) throws(E) -> [T] {
        try snapshot.map(transform)
    }

    /// Returns the position of the first element that satisfies a predicate. Observers depend on the whole array.
    ///
    /// - Parameter predicate: Called for the elements in order until it returns `true`, without a lock.
    /// - Returns: The position, or `nil` if there is none.
    /// - Throws: What `predicate` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func firstIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
        try snapshot.firstIndex(where: predicate)
    }

    /// Returns the position of the last element that satisfies a predicate. Observers depend on the whole array.
    ///
    /// - Parameter predicate: Called for the elements from the last one on until it returns `true`, without a lock.
    /// - Returns: The position, or `nil` if there is none.
    /// - Throws: What `predicate` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func lastIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
        try snapshot.lastIndex(where: predicate)
    }

    /// Returns the last element that satisfies a predicate. Observers depend on the whole array.
    ///
    /// - Parameter predicate: Called for the elements from the last one on until it returns `true`, without a lock.
    /// - Returns: The element, or `nil` if there is none.
    /// - Throws: What `predicate` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func last(where predicate: (Element) throws -> Bool) rethrows -> Element? {
        try snapshot.last(where: predicate)
    }

    /// Returns a snapshot of the first elements. Observers depend on the whole array.
    ///
    /// - Parameter maxLength: The highest number of elements.
    /// - Returns: The elements, with the indices that they have in the array.
    /// - Complexity: O(1).
    @inlinable
    public final func prefix(_ maxLength: Int) -> ArraySnapshot<Element> { snapshot.prefix(maxLength) }

    /// Returns a snapshot of the last elements. Observers depend on the whole array.
    ///
    /// - Parameter maxLength: The highest number of elements.
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
    /// Returns the position of the first element that equals another. Observers depend on the whole array.
    ///
    /// - Parameter element: What to look for.
    /// - Returns: The position, or `nil` if there is none.
    /// - Complexity: O(N).
    @inlinable
    public final func firstIndex(of element: Element) -> Int? { snapshot.firstIndex(of: element) }

    /// Returns the position of the last element that equals another. Observers depend on the whole array.
    ///
    /// - Parameter element: What to look for.
    /// - Returns: The position, or `nil` if there is none.
    /// - Complexity: O(N).
    @inlinable
    public final func lastIndex(of element: Element) -> Int? { snapshot.lastIndex(of: element) }

    /// Whether two arrays have equal elements in the same order. Observers depend on both.
    ///
    /// Arrays are objects, so they are not `Equatable`: an observable that holds one compares it by identity.
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
