// The number of elements that satisfy a predicate, and whether any or all do. State: a bit for each row, and the
// number.

import Reactive

extension LiveArray {
    /// Returns the number of elements that satisfy a predicate, as a `Computed` that is kept up to date.
    ///
    /// ```swift
    /// let open = todos.live.count { !$0.isDone }
    /// autorun { print(open.value) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `isIncluded` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - isIncluded: Whether an element counts. Tracked. Runs once for each element that is inserted or changes, and
    ///     again when an observable that it has read changes.
    /// - Returns: The number. It keeps the counting view alive.
    /// - Complexity: O(1) for each change, plus the lookup of the element.
    @inlinable
    public func count(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, where isIncluded: @escaping (Element) -> Bool
    ) -> Computed<Int> {
        let view = counting(confined(isIncluded, to: isolation), named: name, fileID: fileID, line: line)
        return stage.withLock {
            Computed(named: name, isolation: nil, fileID: fileID, line: line) { view.read { view.state.count } }
        }
    }

    /// Returns whether some element satisfies a predicate, as a `Computed` that is kept up to date.
    ///
    /// The predicate runs for all elements, also after the first one that satisfies it.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `predicate` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - predicate: Whether an element satisfies the condition. Tracked. Runs once for each element that is inserted
    ///     or changes, and again when an observable that it has read changes.
    /// - Returns: Whether there is such an element.
    /// - Complexity: O(1) for each change, plus the lookup of the element.
    @inlinable
    public func contains(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, where predicate: @escaping (Element) -> Bool
    ) -> Computed<Bool> {
        let view = counting(confined(predicate, to: isolation), named: name, fileID: fileID, line: line)
        return stage.withLock {
            Computed(named: name, isolation: nil, fileID: fileID, line: line) { view.read { view.state.count > 0 } }
        }
    }

    /// Returns whether all elements satisfy a predicate, as a `Computed` that is kept up to date. It is `true` if there
    /// are no elements.
    ///
    /// The predicate runs for all elements, also after the first one that does not satisfy it.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `predicate` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - predicate: Whether an element satisfies the condition. Tracked. Runs once for each element that is inserted
    ///     or changes, and again when an observable that it has read changes.
    /// - Returns: Whether all elements satisfy it.
    /// - Complexity: O(1) for each change, plus the lookup of the element.
    @inlinable
    public func allSatisfy(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ predicate: @escaping (Element) -> Bool
    ) -> Computed<Bool> {
        let predicate = confined(predicate, to: isolation)
        let view = counting({ !predicate($0) }, named: name, fileID: fileID, line: line)
        return stage.withLock {
            Computed(named: name, isolation: nil, fileID: fileID, line: line) { view.read { view.state.count == 0 } }
        }
    }

    @inlinable
    func counting(
        _ isIncluded: @escaping (Element) -> Bool, named name: String?, fileID: StaticString, line: UInt
    ) -> View<RowCount> {
        summarized(as: RowCount.self, named: name, fileID: fileID, line: line, isIncluded)
    }
}

extension LiveArray where Element: Equatable {
    /// Returns whether there is an element that equals a given one, as a `Computed` that is kept up to date.
    ///
    /// - Parameters:
    ///   - element: The element to look for.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Returns: Whether there is an equal element. `==` runs once for each element that comes or changes.
    /// - Complexity: O(1) for each change, plus the lookup of the element.
    @inlinable
    public func contains(
        _ element: Element, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Computed<Bool> {
        contains(named: name, isolation: nil, fileID: fileID, line: line) { $0 == element }
    }
}

/// The rows that satisfy a predicate, and their number.
@frozen @usableFromInline
struct RowCount: RowSummary {
    @usableFromInline var rows = FilterState()

    @inlinable
    init() {}

    @inlinable
    var count: Int { rows.count }

    @inlinable
    var mark: Int { rows.count }

    @inlinable
    static func makeFiller() -> FilterFiller { FilterFiller() }

    @inlinable @inline(__always)
    func add(_ contribution: Bool, at row: Row, to filler: inout FilterFiller) {
        if contribution { filler.insert(row) }
    }

    @inlinable
    mutating func finish(_ filler: inout FilterFiller) { rows = FilterState(filler) }

    @inlinable @inline(__always)
    mutating func set(_ contribution: Bool, at row: Row) { rows.set(row, contribution) }

    @inlinable
    mutating func remove(_ row: Row) { set(false, at: row) }
}
