// The results of a closure that are not nil. State: a result for each row that has one, and an order of its own.

import Reactive

extension LiveArray {
    /// Returns a view of the results of a closure that are not `nil`, in order.
    ///
    /// The view keeps a result while its element stays, also when the element moves. Reactions that the closure
    /// creates, and clean-ups that it registers with `onCleanup`, end when the element leaves the stage above or the
    /// closure runs again for it.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two results; by default no two results count as equal.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for an element, or `nil`. Tracked. Runs once for each element that is inserted
    ///     or changes, and again when an observable that it has read changes. Kept alive by the view.
    /// - Returns: The view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func compactMap<Result>(
        named name: String? = nil, equals: Equality<Result> = .never, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Element) -> Result?
    ) -> LiveArray<Result> {
        compactMapping(
            named: name, fileID: fileID, line: line, areEqual: equals.comparison, confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the results of a closure that are not `nil`: results compared by a closure.
    ///
    /// See the overload of `compactMap` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: Whether two results count as equal. Called untracked and with the graph locked.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for an element. Tracked.
    /// - Returns: The view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func compactMap<Result>(
        named name: String? = nil, equals: @escaping @Sendable (Result, Result) -> Bool,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Element) -> Result?
    ) -> LiveArray<Result> {
        compactMapping(
            named: name, fileID: fileID, line: line, areEqual: Equality(equals).comparison,
            confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the results of a closure that are not `nil`: results compared with `==`.
    ///
    /// See the overload of `compactMap` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for an element. Tracked.
    /// - Returns: The view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func compactMap<Result: Equatable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Element) -> Result?
    ) -> LiveArray<Result> {
        compactMapping(
            named: name, fileID: fileID, line: line, areEqual: { $0 == $1 }, confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the results of a closure that are not `nil`: results compared with `==`, where NaN equals NaN.
    ///
    /// See the overload of `compactMap` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for an element. Tracked.
    /// - Returns: The view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func compactMap<Result: FloatingPoint>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Element) -> Result?
    ) -> LiveArray<Result> {
        compactMapping(
            named: name, fileID: fileID, line: line, areEqual: { $0 == $1 || ($0.isNaN && $1.isNaN) },
            confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the results of a closure that are not `nil`: objects, which are the same if they are
    /// identical.
    ///
    /// See the overload of `compactMap` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for an element. Tracked.
    /// - Returns: The view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func compactMap<Result: AnyObject>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Element) -> Result?
    ) -> LiveArray<Result> {
        compactMapping(
            named: name, fileID: fileID, line: line, areEqual: { $0 === $1 }, confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the results of a closure that are not `nil`: objects compared with `==`.
    ///
    /// See the overload of `compactMap` that takes an `Equality`.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for an element. Tracked.
    /// - Returns: The view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func compactMap<Result: AnyObject & Equatable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Element) -> Result?
    ) -> LiveArray<Result> {
        compactMapping(
            named: name, fileID: fileID, line: line, areEqual: { $0 == $1 }, confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    @inlinable
    func compactMapping<Result>(
        named name: String?, fileID: StaticString, line: UInt, areEqual: @escaping (Result, Result) -> Bool,
        _ transform: @escaping (Element) -> Result?
    ) -> LiveArray<Result> {
        let view = View(
            beside: stage.node, hasOwnOrder: true, named: name, fileID: fileID, line: line,
            state: Chunked<Result?>()
        ) { [self] view in
            let own = view.own.unsafelyUnwrapped
            view.follow(stage, log) {
                view.discard(view.state)
                var results = RowFiller<Result?>(vacant: nil)
                var rows: ContiguousArray<Row> = []
                view.owningElements {
                    forEachRow { row, element in
                        if let result = view.evaluateFirstOwning(row, { transform(element) }) {
                            results.set(result, at: row)
                            rows.append(row)
                        }
                        return true
                    }
                }
                view.state = results.finish()
                own.rows = RowOrder(rows)
            } update: { changes in
                // Removes all rows that have left or moved before it inserts any: positions are looked up only among
                // rows that are in order.
                for change in changes {
                    let row = change.row
                    let isGone = !ordering.contains(row)
                    // No test sees this always hold: a row that is taken out is inserted again.
                    guard isGone || !change.reasons.isDisjoint(with: [.moved, .renewed]) else { continue }
                    if own.rows.contains(row) { own.rows.remove(row) }
                    guard isGone || change.reasons.contains(.renewed) else { continue }
                    view.forget(row)
                    if let old = view.state.take(row) {
                        view.discard(old)
                        view.note(row, .gone, count: ordering.count)
                    }
                }
                if changes.isReordered { view.reorder(own, like: ordering) }
                for change in changes where ordering.contains(change.row) {
                    let row = change.row
                    if change.reasons == .moved {
                        guard view.state.value(at: row) != nil else { continue }
                        own.insert(row, like: ordering)
                        view.note(row, .moved, count: ordering.count)
                        continue
                    }
                    let result = view.evaluateOwning(row) { transform(element(row)) }
                    view.replace(row, by: result, areEqual, change.reasons, own, like: ordering)
                }
            }
        }
        return LiveArray<Result>(
            stage: StageNode(view), ordering: view.own.unsafelyUnwrapped, log: view.log,
            element: { view.state[Int($0)].unsafelyUnwrapped },
            forEachRow: { body in
                view.own.unsafelyUnwrapped.forEach { body($0, view.state[Int($0)].unsafelyUnwrapped) }
            })
    }
}

extension View {
    /// Replaces the result of a row that may have none before or after.
    @inlinable
    func replace<Value>(
        _ row: Row, by result: Value?, _ areEqual: (Value, Value) -> Bool, _ reasons: RowChange.Reasons,
        _ own: OwnOrdering, like ordering: Ordering
    ) where State == Chunked<Value?> {
        let old = state.value(at: row)
        guard let result else {
            guard let old else { return }
            if own.rows.contains(row) { own.rows.remove(row) }
            discard(old)
            state[Int(row)] = nil
            note(row, .gone, count: ordering.count)
            return
        }
        var noted = old == nil ? RowChange.Reasons.renewed : reasons.intersection(.moved)
        if let old {
            if !untracked({ areEqual(old, result) }) {
                noted.insert(.updated)
                discard(old)
                state[Int(row)] = result
            }
        } else {
            state.set(result, at: row)
        }
        if !own.rows.contains(row) { own.insert(row, like: ordering) }
        if !noted.isEmpty { note(row, noted, count: ordering.count) }
    }
}
