// Sums. Sums of integers are updated by differences, which is exact. All other types, floating point above all, use a
// tree of partial sums: it does not drift, and an infinity disappears with its element.

import Reactive

extension LiveArray {
    /// Returns the sum of a value of each element, as a `Computed` that is kept up to date.
    ///
    /// Partial sums are added with `+` in an unspecified order. If rounding makes results depend on the order, the last
    /// digits may differ from those of a loop.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `value` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - value: Returns the value of an element. Tracked. Runs once for each element that is inserted or changes, and
    ///     again when an observable that it has read changes.
    /// - Returns: The sum; zero if there is no element.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sum<Value: AdditiveArithmetic>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ value: @escaping (Element) -> Value
    ) -> Computed<Value> {
        let view = summarized(
            as: SumTree<Value>.self, named: name, fileID: fileID, line: line, confined(value, to: isolation))
        return stage.withLock {
            Computed(named: name, isolation: nil, fileID: fileID, line: line) { view.read { view.state.sum } }
        }
    }

    /// Returns the sum of a number of each element, as a `Computed` that is kept up to date.
    ///
    /// Rounding errors do not accumulate over changes, and the sum recovers when an infinity or NaN leaves. The numbers
    /// are added in an unspecified order, so the last digits may differ from those of a loop.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `value` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - value: Returns the value of an element. Tracked. Runs once for each element that is inserted or changes, and
    ///     again when an observable that it has read changes.
    /// - Returns: The sum; zero if there is no element. If the sum stays NaN, readers do not run.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sum<Value: FloatingPoint>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ value: @escaping (Element) -> Value
    ) -> Computed<Value> {
        let view = summarized(
            as: SumTree<Value>.self, named: name, fileID: fileID, line: line, confined(value, to: isolation))
        return stage.withLock {
            Computed(named: name, isolation: nil, fileID: fileID, line: line) { view.read { view.state.sum } }
        }
    }

    /// Returns the sum of an integer of each element, as a `Computed` that is kept up to date.
    ///
    /// The sum is exact. Reading it stops the program if the sum does not fit its type; overflow of intermediate sums
    /// does not matter.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `value` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - value: Returns the value of an element. Tracked. Runs once for each element that is inserted or changes, and
    ///     again when an observable that it has read changes.
    /// - Returns: The sum; zero if there is no element.
    /// - Complexity: O(1) for each change, plus the lookup of the element.
    @inlinable
    public func sum<Value: FixedWidthInteger>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ value: @escaping (Element) -> Value
    ) -> Computed<Value> {
        let view = summarized(
            as: IntegerSum<Value>.self, named: name, fileID: fileID, line: line, confined(value, to: isolation))
        return stage.withLock {
            Computed(named: name, isolation: nil, fileID: fileID, line: line) { view.read { view.state.sum } }
        }
    }
}

extension LiveArray where Element: AdditiveArithmetic {
    /// Returns the sum of the elements, as a `Computed` that is kept up to date. See the overload of `sum` that takes a
    /// closure.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Returns: The sum; zero if there is no element.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sum(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Computed<Element> {
        sum(named: name, isolation: nil, fileID: fileID, line: line) { $0 }
    }
}

extension LiveArray where Element: FloatingPoint {
    /// Returns the sum of the elements, as a `Computed` that is kept up to date. Rounding errors do not accumulate over
    /// changes.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Returns: The sum; zero if there is no element.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sum(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Computed<Element> {
        sum(named: name, isolation: nil, fileID: fileID, line: line) { $0 }
    }
}

extension LiveArray where Element: FixedWidthInteger {
    /// Returns the sum of the elements, as a `Computed` that is kept up to date. The sum is exact. Reading it stops the
    /// program if it does not fit its type.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Returns: The sum; zero if there is no element.
    /// - Complexity: O(1) for each change, plus the lookup of the element.
    @inlinable
    public func sum(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Computed<Element> {
        sum(named: name, isolation: nil, fileID: fileID, line: line) { $0 }
    }
}

/// A sum of integers by differences, in twice the width.
@frozen @usableFromInline
struct IntegerSum<Value: FixedWidthInteger>: RowSummary {
    @usableFromInline var values = Chunked<Value>()
    /// The low part of the sum: without the overflow.
    @usableFromInline var low: Value = 0
    /// The number of overflows at the upper end of the type's range, minus those at the lower end.
    @usableFromInline var high = 0

    @inlinable
    init() {}

    /// The low and high part of a sum.
    @frozen @usableFromInline
    struct Mark: Equatable {
        @usableFromInline let low: Value
        @usableFromInline let high: Int

        @inlinable
        init(low: Value, high: Int) {
            self.low = low
            self.high = high
        }

        @inlinable
        static func == (a: Mark, b: Mark) -> Bool { a.low == b.low && a.high == b.high }
    }

    @inlinable
    var mark: Mark { Mark(low: low, high: high) }

    @inlinable
    var sum: Value {
        require(high == 0, "Reactive: the sum of a view overflows \(Value.self). Sum values of a wider type.")
        return low
    }

    @inlinable
    static func makeFiller() -> RowFiller<Value> { RowFiller(vacant: 0) }

    @inlinable @inline(__always)
    mutating func add(_ contribution: Value, at row: Row, to filler: inout RowFiller<Value>) {
        add(contribution)
        filler.set(contribution, at: row)
    }

    @inlinable
    mutating func finish(_ filler: inout RowFiller<Value>) { values = filler.finish() }

    @inlinable @inline(__always)
    mutating func add(_ value: Value) {
        let (sum, overflow) = low.addingReportingOverflow(value)
        low = sum
        // No test sees this boundary: adding 0 does not overflow.
        if overflow { high += value < 0 ? -1 : 1 }
    }

    @inlinable @inline(__always)
    mutating func subtract(_ value: Value) {
        let (sum, overflow) = low.subtractingReportingOverflow(value)
        low = sum
        // No test sees this boundary: subtracting 0 does not overflow.
        if overflow { high += value < 0 ? 1 : -1 }
    }

    @inlinable @inline(__always)
    mutating func set(_ contribution: Value, at row: Row) {
        let index = Int(row)
        while values.count <= index { values.append(0) }
        subtract(values[index])
        add(contribution)
        values[index] = contribution
    }

    @inlinable
    mutating func remove(_ row: Row) {
        // No test sees this always hold: more zeros mean the same.
        // No test sees this boundary: for the same reason.
        if Int(row) < values.count { set(0, at: row) }
    }
}

/// A sum as a tree of partial sums.
@frozen @usableFromInline
struct SumTree<Value: AdditiveArithmetic>: RowSummary {
    @usableFromInline var tree = SummaryTree<Value>()

    @inlinable
    init() {}

    @inlinable
    var mark: Value? { tree.total }

    @inlinable
    var sum: Value { tree.total ?? .zero }

    @inlinable
    static func makeFiller() -> RowFiller<Value?> { RowFiller(vacant: nil) }

    @inlinable @inline(__always)
    func add(_ contribution: Value, at row: Row, to filler: inout RowFiller<Value?>) {
        filler.set(contribution, at: row)
    }

    @inlinable
    mutating func finish(_ filler: inout RowFiller<Value?>) {
        tree.levels[0] = filler.finish()
        tree.addLevels { $0 + $1 }
    }

    @inlinable @inline(__always)
    mutating func set(_ contribution: Value, at row: Row) { tree.set(row, contribution) { $0 + $1 } }

    @inlinable
    mutating func remove(_ row: Row) { tree.set(row, nil) { $0 + $1 } }
}
