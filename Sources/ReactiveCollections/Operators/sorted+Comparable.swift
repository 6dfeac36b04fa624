// The order of comparable elements, and of floating-point numbers, where `<` has no position for NaN.

import Reactive

extension LiveArray where Element: Comparable {
    /// Returns a view of the elements in ascending order.
    ///
    /// Equal elements are in the order of this view. If `<` reads observables of its elements, the view follows these
    /// observables, like `sorted(by:)` with a predicate.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sorted(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> LiveArray<Element> {
        sorting(
            named: name, fileID: fileID, line: line,
            by: {
                // No test sees this always hold: a trivial type contains no observables.
                // No test sees this boundary: the result is not used.
                if !_isPOD(Element.self) { _ = $0 < $0 }
                return $0
            },
            in: AscendingKeys())
    }
}

extension LiveArray {
    /// Returns a view of the elements in ascending order of a number.
    ///
    /// Elements with equal numbers are in the order of this view. NaN comes last. The view keeps the numbers.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `key` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - key: Returns the number of an element. Runs once for each element that is inserted or changes, and again
    ///     when an observable that it has read changes. Kept alive by the view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sorted<Key: FloatingPoint>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by key: @escaping (Element) -> Key
    ) -> LiveArray<Element> {
        sorting(
            named: name, fileID: fileID, line: line, by: confined(key, to: isolation),
            in: AscendingNumbers()
        ).belonging(to: isolation)
    }

    /// Returns a view of the elements in ascending order of a property that is a number.
    ///
    /// NaN comes last. A key path that is written in the call is compiled as a closure, which is faster.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the property belongs to, by default the caller's; `nil` if it may be read
    ///     anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - keyPath: The property.
    /// - Complexity: O(log N) for each change.
    @inlinable
    @_disfavoredOverload
    public func sorted<Key: FloatingPoint>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by keyPath: KeyPath<Element, Key>
    ) -> LiveArray<Element> {
        sorting(
            named: name, fileID: fileID, line: line, by: confined({ $0[keyPath: keyPath] }, to: isolation),
            in: AscendingNumbers()
        ).belonging(to: isolation)
    }
}

extension LiveArray where Element: FloatingPoint {
    /// Returns a view of the elements in ascending order; NaN comes last.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sorted(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> LiveArray<Element> {
        sorting(
            named: name, fileID: fileID, line: line, by: { $0 },
            in: AscendingNumbers())
    }
}

/// The ascending order of numbers, with NaN last.
@frozen @usableFromInline
struct AscendingNumbers<Key: FloatingPoint>: KeyOrder {
    @inlinable @inline(__always)
    init() {}

    @inlinable @inline(__always)
    func precedes(_ a: Key, _ b: Key) -> Bool { a < b || (b.isNaN && !a.isNaN) }

    @inlinable
    func sort(_ entries: inout ContiguousArray<SortedState<Key>.Entry>) {
        entries.sort { $0.key < $1.key || ($1.key.isNaN && !$0.key.isNaN) }
    }
}
