// The first element that satisfies a predicate: the first of a filtered view. State: its row.

import Reactive

extension LiveArray {
    /// Returns the first element that satisfies a predicate, as a `Computed` that is kept up to date.
    ///
    /// The predicate runs for all elements, also after the first one that satisfies it.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `predicate` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - predicate: Whether an element is the one to find. Tracked. Runs once for each element that is inserted or
    ///     changes, and again when an observable that it has read changes.
    /// - Returns: The element; `nil` if there is none. Its readers run when the element changes or a different one
    ///   becomes first.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func first(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, where predicate: @escaping (Element) -> Bool
    ) -> Computed<Element?> {
        filter(named: name, isolation: isolation, fileID: fileID, line: line, predicate)
            .firstElement(named: name, fileID: fileID, line: line)
    }

    @usableFromInline
    func firstElement(named name: String?, fileID: StaticString, line: UInt) -> Computed<Element?> {
        let view = View(
            // No test sees this: an order of its own would stay empty.
            beside: stage.node, hasOwnOrder: false, named: name, fileID: fileID, line: line, state: Row?.none
        ) { [self] view in
            func row() -> Row? { ordering.count == 0 ? nil : ordering.row(at: 0) }
            view.follow(stage, log) {
                view.state = row()
            } update: { changes in
                let before = view.state
                view.state = row()
                if view.state != before || changes.contains(where: { $0.row == before && $0.reasons != .moved }) {
                    view.hasChanged = true
                }
            }
        }
        let element = element
        return stage.withLock {
            Computed(named: name, equals: .automatic, isolation: nil, fileID: fileID, line: line) {
                view.read { view.state.map(element) }
            }
        }
    }
}
