// A window: the elements at some positions. State: the position of the window, and an order of its own with its rows.

import Reactive

extension LiveArray {
    /// Returns a view of the first elements.
    ///
    /// Changes after these elements do not change the view.
    ///
    /// - Parameters:
    ///   - maxLength: The maximum number of elements; a negative one counts as 0.
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(log N) for each change.
    public func prefix(
        _ maxLength: Int, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> LiveArray<Element> {
        window(.start, named: name, fileID: fileID, line: line) { (0, maxLength) }
    }

    /// Returns a view of the first elements, whose number may change.
    ///
    /// ```swift
    /// let shown = messages.live.prefix { limit.value }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `maxLength` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - maxLength: Returns the maximum number of elements; a negative one counts as 0. Tracked: the view follows the
    ///     observables that it reads. Kept alive by the view.
    /// - Complexity: O(log N) for each change, and for each element by which the number changes.
    public func prefix(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ maxLength: @escaping () -> Int
    ) -> LiveArray<Element> {
        let maxLength = confined(maxLength, to: isolation)
        return window(.start, named: name, fileID: fileID, line: line) { (0, maxLength()) }.belonging(to: isolation)
    }

    /// Returns a view of the last elements.
    ///
    /// Changes before these elements do not change the view.
    ///
    /// - Parameters:
    ///   - maxLength: The maximum number of elements; a negative one counts as 0.
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(log N) for each change.
    public func suffix(
        _ maxLength: Int, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> LiveArray<Element> {
        window(.end, named: name, fileID: fileID, line: line) { (0, maxLength) }
    }

    /// Returns a view of the last elements, whose number may change.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `maxLength` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - maxLength: Returns the maximum number of elements; a negative one counts as 0. Tracked: the view follows the
    ///     observables that it reads. Kept alive by the view.
    /// - Complexity: O(log N) for each change, and for each element by which the number changes.
    public func suffix(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, _ maxLength: @escaping () -> Int
    ) -> LiveArray<Element> {
        let maxLength = confined(maxLength, to: isolation)
        return window(.end, named: name, fileID: fileID, line: line) { (0, maxLength()) }.belonging(to: isolation)
    }

    /// Returns a view of the elements at some positions.
    ///
    /// Changes of other elements change the view only if they move elements into it or out of it.
    ///
    /// - Parameters:
    ///   - start: The position of the first element. Positions before the first element and after the last one are
    ///     empty.
    ///   - count: The number of positions; a negative one counts as 0.
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(log N) for each change.
    public func slice(
        from start: Int, count: Int, named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> LiveArray<Element> {
        window(.start, named: name, fileID: fileID, line: line) { (start, count) }
    }

    /// Returns a view of the elements at positions that may change, such as the visible rows of a virtual list.
    ///
    /// ```swift
    /// let visible = rows.live.slice(from: { offset.value }, count: { 20 })
    /// ```
    ///
    /// Changes of other elements change the view only if they move elements into it or out of it.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the closures belong to, by default the caller's; `nil` if they may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - start: Returns the position of the first element. Positions before the first element and after the last one
    ///     are empty. Tracked: the view follows the observables that it reads. Kept alive by the view.
    ///   - count: Returns the number of positions; a negative one counts as 0. Tracked and kept alive like `start`.
    /// - Complexity: O(log N) for each change, and for each element by which the positions change.
    public func slice(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, from start: @escaping () -> Int, count: @escaping () -> Int
    ) -> LiveArray<Element> {
        let (start, count) = (confined(start, to: isolation), confined(count, to: isolation))
        return window(.start, named: name, fileID: fileID, line: line) { (start(), count()) }.belonging(to: isolation)
    }
}

extension LiveArray {
    private func window(
        _ edge: WindowState.Edge, named name: String?, fileID: StaticString, line: UInt,
        _ positions: @escaping () -> (start: Int, count: Int)
    ) -> LiveArray<Element> {
        let view = View(
            beside: stage.node, hasOwnOrder: true, named: name, fileID: fileID, line: line, state: WindowState()
        ) { [self] view in
            // First, so that no closure runs between reading the changes of the stage above and applying them here.
            let (start, count) = positions()
            stage.refresh()
            let range = WindowState.range(from: start, count: count, of: ordering.count, edge)
            if let changes = view.takeChanges(of: log) {
                view.slide(to: range, after: changes, in: ordering)
            } else {
                view.beginFollowing(log)
                view.own.unsafelyUnwrapped.rows = RowOrder(ordering.rows(in: range))
                view.state = WindowState(range: range, total: ordering.count)
            }
        }
        return LiveArray(stage: StageNode(view), ordering: view.own.unsafelyUnwrapped, log: view.log, element: element)
        {
            [element] body in
            view.own.unsafelyUnwrapped.forEach { body($0, element($0)) }
        }
    }
}

/// The position of a window in the stage above at the last update.
struct WindowState {
    var range = 0..<0
    /// The number of elements of the stage above.
    var total = 0

    /// The end from which positions are counted.
    enum Edge { case start, end }

    /// The positions of a window in a stage of `total` elements.
    static func range(from start: Int, count: Int, of total: Int, _ edge: Edge) -> Range<Int> {
        let count = max(count, 0)
        if edge == .end { return total - min(count, total)..<total }
        let (end, isFar) = start.addingReportingOverflow(count)
        let upper = isFar ? total : min(max(end, 0), total)
        return min(max(start, 0), upper)..<upper
    }
}
