// A value for each element, kept as long as the element stays. State: a result for each row, in the order of the stage
// above.

import Reactive

extension LiveArray {
    /// Returns a view of the results of a closure for each element.
    ///
    /// The view keeps a result while its element stays, also when the element moves. So a result may be an object.
    /// Reactions that the closure creates, and clean-ups that it registers with `onCleanup`, end when the element
    /// leaves the view or the closure runs again for it.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two results; by default no two results count as equal.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for an element. Tracked. Runs once for each element that is inserted or
    ///     changes, and again when an observable that it has read changes. Kept alive by the view.
    /// - Returns: The view.
    /// - Complexity: O(1) for each change, plus the lookup of the element.
    @inlinable
    public func map<Result>(
        named name: String? = nil, equals: Equality<Result> = .never, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Element) -> Result
    ) -> LiveArray<Result> {
        mapping(
            named: name, fileID: fileID, line: line, areEqual: equals.comparison, confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the results of a closure for each element: results compared by a closure.
    ///
    /// See the overload of `map` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: Whether two results count as equal. Called untracked and with the graph locked.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for an element. Tracked.
    /// - Returns: The view.
    /// - Complexity: O(1) for each change, plus the lookup of the element.
    @inlinable
    public func map<Result>(
        named name: String? = nil, equals: @escaping @Sendable (Result, Result) -> Bool,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Element) -> Result
    ) -> LiveArray<Result> {
        mapping(
            named: name, fileID: fileID, line: line, areEqual: Equality(equals).comparison,
            confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the results of a closure for each element: results compared with `==`.
    ///
    /// See the overload of `map` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for an element. Tracked.
    /// - Returns: The view.
    /// - Complexity: O(1) for each change, plus the lookup of the element.
    @inlinable
    public func map<Result: Equatable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Element) -> Result
    ) -> LiveArray<Result> {
        mapping(
            named: name, fileID: fileID, line: line, areEqual: { $0 == $1 }, confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the results of a closure for each element: results compared with `==`, where NaN equals NaN.
    ///
    /// See the overload of `map` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for an element. Tracked.
    /// - Returns: The view.
    /// - Complexity: O(1) for each change, plus the lookup of the element.
    @inlinable
    public func map<Result: FloatingPoint>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Element) -> Result
    ) -> LiveArray<Result> {
        mapping(
            named: name, fileID: fileID, line: line, areEqual: { $0 == $1 || ($0.isNaN && $1.isNaN) },
            confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the results of a closure for each element: objects, which are the same if they are identical.
    ///
    /// See the overload of `map` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for an element. Tracked.
    /// - Returns: The view.
    /// - Complexity: O(1) for each change, plus the lookup of the element.
    @inlinable
    public func map<Result: AnyObject>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Element) -> Result
    ) -> LiveArray<Result> {
        mapping(
            named: name, fileID: fileID, line: line, areEqual: { $0 === $1 }, confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the results of a closure for each element: objects compared with `==`.
    ///
    /// See the overload of `map` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for an element. Tracked.
    /// - Returns: The view.
    /// - Complexity: O(1) for each change, plus the lookup of the element.
    @inlinable
    public func map<Result: AnyObject & Equatable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Element) -> Result
    ) -> LiveArray<Result> {
        mapping(
            named: name, fileID: fileID, line: line, areEqual: { $0 == $1 }, confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    @inlinable
    func mapping<Result>(
        named name: String?, fileID: StaticString, line: UInt, areEqual: @escaping (Result, Result) -> Bool,
        _ transform: @escaping (Element) -> Result
    ) -> LiveArray<Result> {
        let view = View(
            // No test sees this: an order of its own would stay empty.
            beside: stage.node, hasOwnOrder: false, named: name, fileID: fileID, line: line,
            state: Chunked<Result?>()
        ) { [self] view in
            view.follow(stage, log) {
                view.discard(view.state)
                var results = RowFiller<Result?>(vacant: nil)
                view.owningElements {
                    forEachRow { row, element in
                        results.set(view.evaluateFirstOwning(row) { transform(element) }, at: row)
                        return true
                    }
                }
                view.state = results.finish()
            } update: { changes in
                if changes.isReordered { view.noteReordered() }
                let count = ordering.count
                for change in changes {
                    let row = change.row
                    guard ordering.contains(row) else {
                        view.drop(row)
                        view.note(row, .gone, count: count)
                        continue
                    }
                    if change.reasons == .moved {
                        view.note(row, .moved, count: count)
                        continue
                    }
                    if change.reasons.contains(.renewed) { view.drop(row) }
                    let result = view.evaluateOwning(row) { transform(element(row)) }
                    let old = view.result(at: row)
                    var reasons = change.reasons.intersection(.moved)
                    if let old {
                        if untracked({ areEqual(old, result) }) {
                            if reasons.isEmpty { continue }
                        } else {
                            reasons.insert(.updated)
                            view.discard(old)
                            view.store(result, at: row)
                        }
                    } else {
                        reasons.insert(.renewed)
                        view.store(result, at: row)
                    }
                    view.note(row, reasons, count: count)
                }
            }
        }
        return LiveArray<Result>(
            stage: StageNode(view), ordering: ordering, log: view.log,
            element: { view.state[Int($0)].unsafelyUnwrapped },
            forEachRow: { [ordering] body in
                ordering.forEach { body($0, view.state[Int($0)].unsafelyUnwrapped) }
            })
    }
}

extension View {
    /// The value of a row.
    @inlinable @inline(__always)
    func result<Value>(at row: Row) -> Value? where State == Chunked<Value?> {
        Int(row) < state.count ? state[Int(row)] : nil
    }

    @inlinable @inline(__always)
    func store<Value>(_ value: Value, at row: Row) where State == Chunked<Value?> {
        while state.count <= Int(row) { state.append(nil) }
        state[Int(row)] = value
    }

    /// Removes the value of a row and ends what its closure created.
    @inlinable
    func drop<Value>(_ row: Row) where State == Chunked<Value?> {
        forget(row)
        guard let value = result(at: row) else { return }
        discard(value)
        state[Int(row)] = nil
    }
}
