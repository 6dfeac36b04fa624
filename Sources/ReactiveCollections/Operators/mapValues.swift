// Operators that treat each entry by itself: `mapValues`, `compactMapValues` and `filter`. State: a key and a result
// for each row of the view. The rows are those of the stage above.

import Reactive

extension LiveDictionary {
    /// Returns a view of the results of a closure for each value.
    ///
    /// The view keeps a result while its key stays. So a result may be an object. Reactions that the closure creates,
    /// and clean-ups that it registers with `onCleanup`, end when the key leaves or the closure runs again for it.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two results for the same key; by default no two results count as equal.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for a value. Runs once for each key that is inserted or whose value changes,
    ///     and again when an observable that it has read changes. Kept alive by the view.
    /// - Complexity: O(1) for each change.
    @inlinable
    public func mapValues<Result>(
        named name: String? = nil, equals: Equality<Result> = .never, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Value) -> Result
    ) -> LiveDictionary<Key, Result> {
        let transform = confined(transform, to: isolation)
        return mapping(named: name, fileID: fileID, line: line, equals.comparison) { transform($0) }.belonging(
            to: isolation)
    }

    /// Returns a view of the results of a closure for each value: results compared with `==`.
    ///
    /// See ``mapValues(named:equals:isolation:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for a value.
    /// - Complexity: O(1) for each change.
    @inlinable
    public func mapValues<Result: Equatable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Value) -> Result
    ) -> LiveDictionary<Key, Result> {
        let transform = confined(transform, to: isolation)
        return mapping(named: name, fileID: fileID, line: line, { $0 == $1 }) { transform($0) }.belonging(to: isolation)
    }

    /// Returns a view of the results of a closure for each value: results compared with `==`, where NaN equals NaN.
    ///
    /// See ``mapValues(named:equals:isolation:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for a value.
    /// - Complexity: O(1) for each change.
    @inlinable
    public func mapValues<Result: FloatingPoint>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Value) -> Result
    ) -> LiveDictionary<Key, Result> {
        let transform = confined(transform, to: isolation)
        return mapping(named: name, fileID: fileID, line: line, { $0 == $1 || $0.isNaN && $1.isNaN }) { transform($0) }
            .belonging(to: isolation)
    }

    /// Returns a view of the results of a closure for each value: objects, which are the same if they are identical.
    ///
    /// See ``mapValues(named:equals:isolation:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for a value.
    /// - Complexity: O(1) for each change.
    @inlinable
    public func mapValues<Result: AnyObject>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Value) -> Result
    ) -> LiveDictionary<Key, Result> {
        let transform = confined(transform, to: isolation)
        return mapping(named: name, fileID: fileID, line: line, { $0 === $1 }) { transform($0) }
            .belonging(to: isolation)
    }

    /// Returns a view of the results of a closure for each value: objects compared with `==`.
    ///
    /// See ``mapValues(named:equals:isolation:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for a value.
    /// - Complexity: O(1) for each change.
    @inlinable
    public func mapValues<Result: AnyObject & Equatable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Value) -> Result
    ) -> LiveDictionary<Key, Result> {
        let transform = confined(transform, to: isolation)
        return mapping(named: name, fileID: fileID, line: line, { $0 == $1 }) { transform($0) }
            .belonging(to: isolation)
    }

    /// Returns a view of the results of a closure for each value, without the keys whose result is `nil`.
    ///
    /// See ``mapValues(named:equals:isolation:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two results for the same key; by default no two results count as equal.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for a value, or `nil`.
    /// - Complexity: O(1) for each change.
    @inlinable
    public func compactMapValues<Result>(
        named name: String? = nil, equals: Equality<Result> = .never, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, _ transform: @escaping (Value) -> Result?
    ) -> LiveDictionary<Key, Result> {
        mapping(
            named: name, fileID: fileID, line: line, equals.comparison, confined(transform, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the results of a closure for each value, without the keys whose result is `nil`: results
    /// compared with `==`.
    ///
    /// See ``mapValues(named:equals:isolation:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for a value, or `nil`.
    /// - Complexity: O(1) for each change.
    @inlinable
    public func compactMapValues<Result: Equatable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Value) -> Result?
    ) -> LiveDictionary<Key, Result> {
        mapping(named: name, fileID: fileID, line: line, { $0 == $1 }, confined(transform, to: isolation)).belonging(
            to: isolation)
    }

    /// Returns a view of the results of a closure for each value, without the keys whose result is `nil`: objects,
    /// which are the same if they are identical.
    ///
    /// See ``mapValues(named:equals:isolation:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for a value, or `nil`.
    /// - Complexity: O(1) for each change.
    @inlinable
    public func compactMapValues<Result: AnyObject>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Value) -> Result?
    ) -> LiveDictionary<Key, Result> {
        let transform = confined(transform, to: isolation)
        return mapping(named: name, fileID: fileID, line: line, { $0 === $1 }) { transform($0) }
            .belonging(to: isolation)
    }

    /// Returns a view of the results of a closure for each value, without the keys whose result is `nil`: objects
    /// compared with `==`.
    ///
    /// See ``mapValues(named:equals:isolation:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for a value, or `nil`.
    /// - Complexity: O(1) for each change.
    @inlinable
    public func compactMapValues<Result: AnyObject & Equatable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Value) -> Result?
    ) -> LiveDictionary<Key, Result> {
        let transform = confined(transform, to: isolation)
        return mapping(named: name, fileID: fileID, line: line, { $0 == $1 }) { transform($0) }
            .belonging(to: isolation)
    }

    /// Returns a view of the results of a closure for each value, without the keys whose result is `nil`: results
    /// compared with `==`, where NaN equals NaN.
    ///
    /// See ``mapValues(named:equals:isolation:fileID:line:_:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `transform` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - transform: Returns the result for a value, or `nil`.
    /// - Complexity: O(1) for each change.
    @inlinable
    public func compactMapValues<Result: FloatingPoint>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ transform: @escaping (Value) -> Result?
    ) -> LiveDictionary<Key, Result> {
        let transform = confined(transform, to: isolation)
        return mapping(named: name, fileID: fileID, line: line, { $0 == $1 || $0.isNaN && $1.isNaN }) { transform($0) }
            .belonging(to: isolation)
    }

    /// Returns a view of the entries that satisfy a predicate.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `isIncluded` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - isIncluded: Whether an entry belongs to the view. Runs once for each key that is inserted or whose value
    ///     changes, and again when an observable that it has read changes. Kept alive by the view.
    /// - Complexity: O(1) for each change.
    @inlinable
    public func filter(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ isIncluded: @escaping ((key: Key, value: Value)) -> Bool
    ) -> LiveDictionary<Key, Value> {
        let isIncluded = confined(isIncluded, to: isolation)
        let keys = ViewKeys<Key>()
        // No test sees this: values that pass through are not compared again.
        let view = transforming(keys, named: name, fileID: fileID, line: line, passesValues: true, { _, _ in true }) {
            view, row, key, value in view.evaluate(row) { isIncluded((key, value)) ? () : nil }
        }
        let value = entries.value
        return LiveDictionary(view: view, keys: keys, entries: view.entries(like: entries) { row, _ in value(row) })
            .belonging(to: isolation)
    }

    /// Returns a view of the results of a closure that are not `nil`.
    @inlinable
    func mapping<Result>(
        named name: String?, fileID: StaticString, line: UInt, _ areEqual: @escaping (Result, Result) -> Bool,
        _ transform: @escaping (Value) -> Result?
    ) -> LiveDictionary<Key, Result> {
        let keys = ViewKeys<Key>()
        let view = transforming(keys, named: name, fileID: fileID, line: line, passesValues: false, areEqual) {
            view, row, _, value in view.evaluateOwning(row) { transform(value) }
        }
        return LiveDictionary<Key, Result>(
            view: view, keys: keys, entries: view.entries(like: entries) { _, result in result })
    }

    /// Creates a view that has the keys for which `transform` returns a result.
    ///
    /// - Parameter passesValues: Whether the values are those of the stage above. They change exactly when these do.
    @inlinable
    func transforming<Result>(
        _ keys: ViewKeys<Key>, named name: String?, fileID: StaticString, line: UInt, passesValues: Bool,
        _ areEqual: @escaping (Result, Result) -> Bool,
        _ transform: @escaping (View<ResultsByRow<Key, Result>>, Row, Key, Value) -> Result?
    ) -> View<ResultsByRow<Key, Result>> {
        let view = View(
            // No test sees this: an order of its own would stay empty.
            beside: stage.node, hasOwnOrder: false, named: name, fileID: fileID, line: line,
            state: ResultsByRow<Key, Result>()
        ) { [stage, log, entries] view in
            view.follow(stage, log) {
                view.discard(view.state)
                view.state = ResultsByRow()
                keys.noteChangeOfAll()
                entries.forEach { row, key, value in
                    if let result = transform(view, row, key, value) { view.state.insert(key, result, at: row) }
                    return true
                }
            } update: { changes in
                for change in changes {
                    let row = change.row
                    let isGone = !entries.contains(row)
                    if isGone || change.reasons.contains(.renewed) {
                        view.remove(row, keys)
                        view.forget(row)
                        if isGone { continue }
                    }
                    let key = entries.key(row)
                    guard let result = transform(view, row, key, entries.value(row)) else {
                        view.remove(row, keys)
                        continue
                    }
                    guard let old = view.state[row] else {
                        view.state.insert(key, result, at: row)
                        view.note(row, .renewed, count: entries.count())
                        keys.noteChange(of: key)
                        continue
                    }
                    if passesValues {
                        if !change.reasons.contains(.updated) { continue }
                    } else {
                        if untracked({ areEqual(old, result) }) { continue }
                        view.discard(old)
                        view.state.results[Int(row)]!.result = result
                    }
                    view.note(row, .updated, count: entries.count())
                    keys.noteChange(of: key)
                }
            }
        }
        keys.routing.view = view
        return view
    }
}

/// A key and a result for some of the rows.
@frozen @usableFromInline
struct ResultsByRow<Key: Hashable, Result> {
    @frozen @usableFromInline
    struct Entry {
        @usableFromInline var key: Key
        @usableFromInline var result: Result

        @inlinable
        init(key: Key, result: Result) {
            self.key = key
            self.result = result
        }
    }

    @usableFromInline var results = Chunked<Entry?>()
    /// The number of entries.
    @usableFromInline var count = 0

    @inlinable
    init() {}

    @inlinable @inline(__always)
    func contains(_ row: Row) -> Bool { Int(row) < results.count && results[Int(row)] != nil }

    @inlinable @inline(__always)
    subscript(row: Row) -> Result? { Int(row) < results.count ? results[Int(row)]?.result : nil }

    /// Inserts an entry for a row that has none.
    @inlinable @inline(__always)
    mutating func insert(_ key: Key, _ result: Result, at row: Row) {
        while results.count <= Int(row) { results.append(nil) }
        results[Int(row)] = Entry(key: key, result: result)
        count += 1
    }

    /// Removes the entry of a row, if it has one.
    @inlinable @inline(__always)
    mutating func remove(_ row: Row) -> Entry? {
        guard Int(row) < results.count, let entry = results[Int(row)].take() else { return nil }
        count -= 1
        return entry
    }
}

extension View {
    /// Removes a row, if the view has it.
    @inlinable @inline(__always)
    func remove<Key, Result>(_ row: Row, _ keys: ViewKeys<Key>) where State == ResultsByRow<Key, Result> {
        guard let old = state.remove(row) else { return }
        note(row, .gone, count: state.count)
        keys.noteChange(of: old.key)
        discard(old)
    }

    /// The entries of the view. Their rows are those of the stage above.
    @inlinable
    func entries<Key, Above, Result, Value>(
        like above: KeyedEntries<Key, Above>, _ value: @escaping (Row, Result) -> Value
    ) -> KeyedEntries<Key, Value> where State == ResultsByRow<Key, Result> {
        KeyedEntries(
            count: { self.state.count }, contains: { self.state.contains($0) },
            key: { self.state.results[Int($0)].unsafelyUnwrapped.key },
            value: { value($0, self.state.results[Int($0)].unsafelyUnwrapped.result) },
            find: { key, hash in above.find(key, hash).flatMap { self.state.contains($0) ? $0 : nil } },
            forEach: { body in
                let results = self.state.results
                for row in 0..<results.count {
                    guard let entry = results[row] else { continue }
                    if !body(Row(row), entry.key, value(Row(row), entry.result)) { return }
                }
            })
    }
}
