// A value that each element is added to and removed from. State: the elements by row, and the value.

import Reactive

extension LiveArray {
    /// Returns a value that closures update for each element that is inserted or removed.
    ///
    /// ```swift
    /// let product = factors.live.reduce(1, add: *, remove: /)
    /// ```
    ///
    /// Removing an element must undo adding it. The order of these calls must not matter: elements are added in any
    /// order. If an element changes, its old value is removed and its new value is added. The closures are not tracked:
    /// if an observable that they read changed, the old contribution could not be removed. To depend on observables,
    /// use `map` first and reduce its results.
    ///
    /// - Parameters:
    ///   - initial: The value without elements.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two values; by default no two values count as equal.
    ///   - isolation: The actor that the closures belong to, by default the caller's; `nil` if they may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - add: Returns the value with an element.
    ///   - remove: Returns the value without an element.
    /// - Returns: The value.
    /// - Complexity: O(1) calls for each change, plus the lookup of the element.
    @inlinable
    public func reduce<Result>(
        _ initial: Result, named name: String? = nil, equals: Equality<Result> = .never,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        add: @escaping (Result, Element) -> Result, remove: @escaping (Result, Element) -> Result
    ) -> Computed<Result> {
        reduce(
            into: initial, named: name, equals: equals, isolation: isolation, fileID: fileID, line: line,
            add: { $0 = add($0, $1) }, remove: { $0 = remove($0, $1) })
    }

    /// Returns a value that closures update for each element that is inserted or removed; an equal value is not a
    /// change. See ``reduce(_:named:equals:isolation:fileID:line:add:remove:)``.
    ///
    /// - Parameters:
    ///   - initial: The value without elements.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the closures belong to, by default the caller's; `nil` if they may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - add: Returns the value with an element.
    ///   - remove: Returns the value without an element.
    /// - Returns: The value.
    /// - Complexity: O(1) calls for each change, plus the lookup of the element.
    @inlinable
    public func reduce<Result: Equatable>(
        _ initial: Result, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, add: @escaping (Result, Element) -> Result,
        remove: @escaping (Result, Element) -> Result
    ) -> Computed<Result> {
        reduce(
            into: initial, named: name, isolation: isolation, fileID: fileID, line: line,
            add: { $0 = add($0, $1) }, remove: { $0 = remove($0, $1) })
    }

    /// Returns a value that closures mutate in place for each element that is inserted or removed.
    ///
    /// See ``reduce(_:named:equals:isolation:fileID:line:add:remove:)``. Readers get a copy of the value. If copying it
    /// is expensive, so is the first mutation after a read.
    ///
    /// - Parameters:
    ///   - initial: The value without elements.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two values; by default no two values count as equal.
    ///   - isolation: The actor that the closures belong to, by default the caller's; `nil` if they may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - add: Adds an element to the value.
    ///   - remove: Removes an element from the value.
    /// - Returns: The value.
    /// - Complexity: O(1) calls for each change, plus the lookup of the element.
    @inlinable
    public func reduce<Result>(
        into initial: Result, named name: String? = nil, equals: Equality<Result> = .never,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        add: @escaping (inout Result, Element) -> Void, remove: @escaping (inout Result, Element) -> Void
    ) -> Computed<Result> {
        let view = reducing(
            initial, named: name, isolation: isolation, fileID: fileID, line: line, add: add, remove: remove)
        return stage.withLock {
            Computed(named: name, equals: equals, isolation: nil, fileID: fileID, line: line) {
                view.read { view.state.result }
            }
        }
    }

    /// Returns a value that closures mutate in place for each element that is inserted or removed; an equal value is
    /// not a change. See ``reduce(into:named:equals:isolation:fileID:line:add:remove:)``.
    ///
    /// - Parameters:
    ///   - initial: The value without elements.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the closures belong to, by default the caller's; `nil` if they may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - add: Adds an element to the value.
    ///   - remove: Removes an element from the value.
    /// - Returns: The value.
    /// - Complexity: O(1) calls for each change, plus the lookup of the element.
    @inlinable
    public func reduce<Result: Equatable>(
        into initial: Result, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, add: @escaping (inout Result, Element) -> Void,
        remove: @escaping (inout Result, Element) -> Void
    ) -> Computed<Result> {
        let view = reducing(
            initial, named: name, isolation: isolation, fileID: fileID, line: line, add: add, remove: remove)
        return stage.withLock {
            Computed(named: name, isolation: nil, fileID: fileID, line: line) { view.read { view.state.result } }
        }
    }

    @inlinable
    func reducing<Result>(
        _ initial: Result, named name: String?, isolation: (any Actor)?, fileID: StaticString, line: UInt,
        add: @escaping (inout Result, Element) -> Void, remove: @escaping (inout Result, Element) -> Void
    ) -> View<ReduceState<Element, Result>> {
        let check = isolationCheck(isolation)
        return View(
            // No test sees this: an order of its own would stay empty.
            beside: stage.node, hasOwnOrder: false, named: name, fileID: fileID, line: line,
            state: ReduceState(result: initial)
        ) { [self] view in
            view.follow(stage, log) {
                check?()
                view.discard(view.state)
                view.state = ReduceState(result: initial)
                untracked {
                    forEachRow { row, element in
                        view.state.elements.set(element, at: row)
                        add(&view.state.result, element)
                        return true
                    }
                }
            } update: { changes in
                check?()
                untracked {
                    for change in changes {
                        let row = change.row
                        if change.reasons == .moved { continue }
                        if let old = view.state.elements.take(row) {
                            remove(&view.state.result, old)
                            view.discard(old)
                            view.hasChanged = true
                        }
                        guard ordering.contains(row) else { continue }
                        let new = element(row)
                        view.state.elements.set(new, at: row)
                        add(&view.state.result, new)
                        view.hasChanged = true
                    }
                }
            }
        }
    }
}

/// The value and the elements that were added to it.
@frozen @usableFromInline
struct ReduceState<Element, Result> {
    @usableFromInline var elements = Chunked<Element?>()
    @usableFromInline var result: Result

    @inlinable
    init(result: Result) { self.result = result }
}
