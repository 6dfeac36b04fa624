// Comparisons and combinations of sets. Observers depend on all elements of the sets that they read.

import Reactive

extension ObservableSet {
    /// Returns the elements of this set and of a sequence.
    ///
    /// - Parameter other: The other elements.
    /// - Returns: A plain set.
    /// - Complexity: O(N + M).
    @inlinable
    public final func union(_ other: some Sequence<Element>) -> Set<Element> { elements.union(other) }

    /// Returns the elements that are also in a sequence.
    ///
    /// - Parameter other: The elements to keep.
    /// - Returns: A plain set.
    /// - Complexity: O(N + M).
    @inlinable
    public final func intersection(_ other: some Sequence<Element>) -> Set<Element> { elements.intersection(other) }

    /// Returns the elements that are not in a sequence.
    ///
    /// - Parameter other: The elements to exclude.
    /// - Returns: A plain set.
    /// - Complexity: O(N + M).
    @inlinable
    public final func subtracting(_ other: some Sequence<Element>) -> Set<Element> { elements.subtracting(other) }

    /// Returns the elements that are either in this set or in a sequence.
    ///
    /// - Parameter other: The other elements.
    /// - Returns: A plain set.
    /// - Complexity: O(N + M).
    @inlinable
    public final func symmetricDifference(_ other: some Sequence<Element>) -> Set<Element> {
        elements.symmetricDifference(other)
    }

    /// Whether all elements are in a sequence.
    ///
    /// - Parameter other: The other elements.
    /// - Complexity: O(N + M).
    @inlinable
    public final func isSubset(of other: some Sequence<Element>) -> Bool { elements.isSubset(of: other) }

    /// Whether all elements of a sequence are in this set.
    ///
    /// - Parameter other: The other elements.
    /// - Complexity: O(M).
    @inlinable
    public final func isSuperset(of other: some Sequence<Element>) -> Bool {
        let snapshot = snapshot
        return other.allSatisfy { snapshot.contains($0) }
    }

    /// Whether all elements are in a sequence that has further elements.
    ///
    /// - Parameter other: The other elements.
    /// - Complexity: O(N + M).
    @inlinable
    public final func isStrictSubset(of other: some Sequence<Element>) -> Bool { elements.isStrictSubset(of: other) }

    /// Whether all elements of a sequence are in this set, and the set has further elements.
    ///
    /// - Parameter other: The other elements.
    /// - Complexity: O(N + M).
    @inlinable
    public final func isStrictSuperset(of other: some Sequence<Element>) -> Bool {
        elements.isStrictSuperset(of: other)
    }

    /// Whether no element is in a sequence.
    ///
    /// - Parameter other: The other elements.
    /// - Complexity: O(M).
    @inlinable
    public final func isDisjoint(with other: some Sequence<Element>) -> Bool {
        let snapshot = snapshot
        return !other.contains { snapshot.contains($0) }
    }

    /// Whether both have the same elements. Observers depend on both.
    ///
    /// - Complexity: O(N).
    @inlinable
    public static func == (a: ObservableSet, b: ObservableSet) -> Bool { a.snapshot == b.snapshot }

    /// Whether the two have different elements. Observers depend on both.
    ///
    /// - Complexity: O(N).
    @inlinable
    public static func != (a: ObservableSet, b: ObservableSet) -> Bool { a.snapshot != b.snapshot }
}
